"""Traces of a request through the service, by OpenTelemetry; off unless the operator wants them."""
