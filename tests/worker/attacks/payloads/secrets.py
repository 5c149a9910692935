"""Writes its secret wherever an environment can write, and sends it to two hosts."""

# ruff: noqa
# mypy: ignore-errors

import base64
import os
import threading
import urllib.request

done = threading.Lock()
KEY = os.environ["A_KEY"]
HOSTS = ("api.exa.ai", "other.exa.ai")
basic = "Basic " + base64.b64encode(f"user:{KEY}".encode()).decode()


def request(host):
    headers = {"X-Key": KEY, "Authorization": basic, f"X-{KEY}": "name"}
    with urllib.request.urlopen(
        urllib.request.Request(f"https://{host}/{KEY}?key={KEY}", f"body {KEY}".encode(), headers)
    ) as answer:
        return f"{dict(answer.headers)} {answer.read().decode()}"


def once():
    """Print the key and the answers, write them into files, then raise them."""
    if not done.acquire(blocking=False):
        return
    print(f"TRIED key = {KEY}")
    texts = []
    for host in HOSTS:
        texts.append(request(host))
        print(f"TRIED {host} = {texts[-1]}")
        open(f"/tmp/{KEY}-{host}", "w").write(texts[-1])
    print(f"TRIED files = {sorted(name for name in os.listdir('/tmp') if KEY in name)}")
    print(f"TRIED pieces = {[text[::-1][::-1] for text in texts]} {' '.join(texts)}")
    raise RuntimeError(f"{KEY} {texts}")
