"""Compare two OpenAPI documents by what a client depends on: `compare_openapi OLD NEW`.

References are resolved and equal spellings made one (`anyOf` with null and a list of types, the
order of `required`, a `const` and an `enum` of one), so component names may differ and the rest may
not. Texts (descriptions, titles, examples) are left out unless `--texts`. `-` reads standard input,
`--write PATH` keeps the new document, compact and without its texts, as the next OLD. Exits with 1
where the documents differ.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
TEXTS = {"title", "description", "summary", "example", "examples"}
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
# Below these keys are names of the API, which may equal a keyword.
NAMES = {"properties", "paths", "schemas", "responses", "securitySchemes", "content"}


def canonical(document: Json, *, texts: bool = False) -> Json:
    """Operations by `METHOD path`, with resolved schemas in one spelling each."""
    resolver = _Resolver(document.get("components", {}).get("schemas", {}), texts=texts)
    operations = {
        f"{method.upper()} {path}": _operation(item[method], item.get("parameters", []), resolver)
        for path, item in document["paths"].items()
        for method in sorted(METHODS & set(item))
    }
    schemes = document.get("components", {}).get("securitySchemes", {})
    return {"operations": operations, "security": schemes if texts else without_texts(schemes)}


def differences(old: Json, new: Json, *, texts: bool = False) -> list[str]:
    """One line for each value that was removed, added or changed."""
    before = dict(_leaves(canonical(old, texts=texts)))
    after = dict(_leaves(canonical(new, texts=texts)))
    lines = [f"- {path}: {before[path]}" for path in before if path not in after]
    lines += [f"+ {path}: {after[path]}" for path in after if path not in before]
    lines += [
        f"~ {path}: {value} -> {after[path]}"
        for path, value in before.items()
        if path in after and after[path] != value
    ]
    return sorted(lines, key=lambda line: line[2:])


def without_texts(value: Any, *, names: bool = False) -> Any:
    """The value without the keys of TEXTS; `names` where its own keys are names of the API."""
    if isinstance(value, list):
        return [without_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: without_texts(item, names=key in NAMES and not names)
        for key, item in value.items()
        if names or key not in TEXTS
    }


def _operation(raw: Json, shared: list[Json], resolver: _Resolver) -> Json:
    parameters = {
        f"{parameter['in']} {parameter['name']}": {
            **resolver.keep({k: v for k, v in parameter.items() if k not in ("in", "name")}),
            "required": parameter.get("required", False),
            "schema": resolver.resolve(parameter["schema"]),
        }
        for parameter in [*shared, *raw.get("parameters", [])]
    }
    compared = {
        key: value
        for key, value in raw.items()
        if key not in ("parameters", "requestBody", "responses", "security")
    }
    return {
        **resolver.keep(compared),
        "parameters": parameters,
        "requestBody": _body(raw.get("requestBody", {}), resolver),
        "responses": {
            status: _body(response, resolver) for status, response in raw["responses"].items()
        },
        "security": sorted(json.dumps(scheme) for scheme in raw.get("security", [])),
    }


def _body(raw: Json, resolver: _Resolver) -> Json:
    content = {
        kind: resolver.resolve(media.get("schema", {}))
        for kind, media in raw.get("content", {}).items()
    }
    return {
        **resolver.keep({key: value for key, value in raw.items() if key != "content"}),
        "content": content,
    }


class _Resolver:
    """Schemas without references, in one spelling."""

    def __init__(self, components: Json, *, texts: bool) -> None:
        self._components = components
        self._texts = texts
        self._open: list[str] = []

    def keep(self, value: Json) -> Json:
        """The value, without texts where those are not compared."""
        return value if self._texts else {k: v for k, v in value.items() if k not in TEXTS}

    def resolve(self, schema: Any) -> Any:
        """The schema with everything that it refers to; a recursion ends with the name."""
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self._referred(schema)
        resolved = {key: self._keyword(key, value) for key, value in self.keep(schema).items()}
        resolved.pop("readOnly", None)  # no schema here serves both requests and responses
        if resolved.get("additionalProperties") in (True, {}):
            del resolved["additionalProperties"]
        if "const" in resolved:
            resolved["enum"] = [resolved.pop("const")]
        if len(resolved.get("allOf", ())) == 1:
            resolved = {**resolved.pop("allOf")[0], **resolved}
        return _without_null(resolved)

    def _referred(self, schema: Json) -> Any:
        name = schema["$ref"].rpartition("/")[2]
        if name in self._open:
            return {"recursive": len(self._open) - self._open.index(name)}
        self._open.append(name)
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        resolved = self.resolve({**self._components[name], **self.keep(siblings)})
        self._open.pop()
        return resolved

    def _keyword(self, key: str, value: Any) -> Any:
        match key:
            case "properties":
                return {name: self.resolve(schema) for name, schema in value.items()}
            case "anyOf" | "oneOf" | "allOf":
                return [self.resolve(schema) for schema in value]
            case "items" | "additionalProperties":
                return self.resolve(value)
            case "required":
                return sorted(value)
            case "enum":
                return sorted(value, key=json.dumps)
            case "type":
                return value if isinstance(value, list) else [value]
        return value


def _without_null(schema: Json) -> Json:
    """Alternatives of which one is null, as a list of types; other alternatives sorted."""
    choices = schema.pop("oneOf", []) + schema.pop("anyOf", [])
    non_null = [choice for choice in choices if choice != {"type": ["null"]}]
    if len(non_null) == 1:
        only = non_null[0]
        if len(choices) > 1:
            only = {**only, "type": [*only.get("type", []), "null"]}
            if "enum" in only:
                only["enum"] = [*only["enum"], None]
        schema = {**only, **schema}
    elif choices:
        schema["anyOf"] = sorted(choices, key=lambda choice: json.dumps(choice, sort_keys=True))
    if "enum" in schema:
        schema["enum"] = sorted(schema["enum"], key=json.dumps)
    if "type" in schema:
        schema["type"] = sorted(schema["type"])
    return schema


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path} › {key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, json.dumps(value, sort_keys=True)


def _read(name: str) -> Json:
    document: Json = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text())
    return document


def main() -> int:
    """Print the differences, and write the new document where `--write` names a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--texts", action="store_true", help="compare texts and examples too")
    parser.add_argument("--write", metavar="PATH", help="store the new document, without texts")
    options = parser.parse_args()
    old, new = _read(options.old), _read(options.new)
    lines = differences(old, new, texts=options.texts)
    print("\n".join([*lines, f"{len(lines)} differences in {len(new['paths'])} paths"]))
    if options.write:
        text = json.dumps(without_texts(new), indent=1, sort_keys=True)
        Path(options.write).write_text(text + "\n")
        return 0
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
