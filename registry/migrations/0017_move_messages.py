"""Conversations go from the rows into the storage, one pack for some hundred rollouts."""

import gzip
import hashlib
import io
import json

from django.db import migrations

from registry import storage

AT_ONCE = 200
SEQ = 1_000_000_000  # of packs made here: no batch has such a number


def line(value):
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return gzip.compress(raw, compresslevel=6, mtime=0)


def pack(run, number, rows, packs):
    seq = SEQ + number
    whole = io.BytesIO()
    whole.write(line({"run": str(run.pk), "attempt": run.attempt, "seq": seq}))
    for row in rows:
        nodes = [{"parent": at - 1, "message": m} for at, m in enumerate(row.messages)]
        row.offset = whole.tell()
        whole.write(line({"nodes": nodes, "calls": [], "tools": [], "truncated": False}))
        row.length = whole.tell() - row.offset
        row.conversations = 1
    sha256 = hashlib.sha256(whole.getvalue()).hexdigest()
    storage.get().put(storage.key("transcripts", sha256), whole, sha256)
    made = packs.create(
        run=run, attempt=run.attempt, seq=seq, sha256=sha256, size=len(whole.getvalue())
    )
    for row in rows:
        row.pack = made


def move(apps, schema_editor):
    Run, Rollout = apps.get_model("registry", "Run"), apps.get_model("registry", "Rollout")
    packs = apps.get_model("registry", "TranscriptPack").objects
    fields = ("pack", "offset", "length", "conversations")
    for run in Run.objects.iterator():
        rows = Rollout.objects.filter(run=run).exclude(messages=[]).order_by("pk")
        for number, some in enumerate(batches(rows.iterator(chunk_size=AT_ONCE))):
            pack(run, number, some, packs)
            Rollout.objects.bulk_update(some, fields)


def batches(rows):
    some = []
    for row in rows:
        some.append(row)
        if len(some) == AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def bring_back(apps, schema_editor):
    """The conversation of the last call; what else a transcript holds has no place in a row."""
    Rollout = apps.get_model("registry", "Rollout")
    for row in Rollout.objects.filter(pack__isnull=False).select_related("pack").iterator():
        key = storage.key("transcripts", row.pack.sha256)
        with storage.get().open(key, row.offset, row.offset + row.length) as reader:
            told = json.loads(gzip.decompress(reader.read()))
        row.messages = conversation(told["nodes"], told["calls"])
        row.save(update_fields=["messages"])


def conversation(nodes, calls):
    at = len(nodes) - 1
    if calls:
        at = calls[-1]["reply"] if calls[-1]["reply"] >= 0 else calls[-1]["asked"]
    found = []
    while at >= 0:
        found.append(nodes[at]["message"])
        at = nodes[at]["parent"]
    return found[::-1]


class Migration(migrations.Migration):
    dependencies = [("registry", "0016_transcripts")]

    operations = [migrations.RunPython(move, bring_back)]
