"""The media types of the OpenAPI document, each with its form."""

JSON = "application/vnd.oai.openapi+json"
YAML = "application/vnd.oai.openapi"
TYPES = {
    "application/json": "json",
    JSON: "json",
    YAML: "yaml",
    "application/yaml": "yaml",
}
