"""The OpenAPI document: what the API takes and answers, told once and held true by the tests."""
