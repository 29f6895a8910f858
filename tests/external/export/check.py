"""Checks exports with what others wrote: OTLP/JSON with OpenTelemetry's own protocol buffers, OCSF with its schema.

    check.py otlp FILE      check.py ocsf FILE
"""

import base64
import json
import sys

IDS = ("traceId", "spanId", "parentSpanId")


def with_base64_ids(value):
    """Protocol buffers write bytes in base64; OTLP/JSON has these three in hexadecimal."""
    if isinstance(value, dict):
        return {
            name: base64.b64encode(bytes.fromhex(inner)).decode() if name in IDS else with_base64_ids(inner)
            for name, inner in value.items()
        }
    return [with_base64_ids(inner) for inner in value] if isinstance(value, list) else value


def otlp(lines):
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

    spans = {}
    for line in lines:
        # Fields that the messages do not have are errors.
        request = json_format.ParseDict(with_base64_ids(json.loads(line)), ExportTraceServiceRequest())
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                spans.update((span.span_id, span) for span in scope.spans)
    for span in spans.values():
        assert len(span.trace_id) == 16 and len(span.span_id) == 8, span
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano, span
        assert span.kind == Span.SPAN_KIND_INTERNAL, span
        assert span.status.code in (Status.STATUS_CODE_UNSET, Status.STATUS_CODE_ERROR), span
        keys = [attribute.key for attribute in span.attributes]
        assert len(keys) == len(set(keys)), keys
        assert "gen_ai.operation.name" in keys and "interlock.record.hash" in keys, keys
        assert ("error.type" in keys) == (span.status.code == Status.STATUS_CODE_ERROR) or span.name.startswith("invoke_agent"), span
        if span.parent_span_id:
            assert spans[span.parent_span_id].trace_id == span.trace_id, span
    return f"{len(spans)} spans"


def ocsf(lines):
    """The newest schema that is packaged is 1.8.0: what 1.9 adds is left out here."""
    import jsonschema
    from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema

    schemas = OcsfJsonSchemaEmbedded(get_ocsf_schema("1.8.0"))
    classes = {6003: "api_activity", 2004: "detection_finding"}
    for line in lines:
        event = json.loads(line)
        assert event["metadata"]["version"] == "1.9.0"
        del event["attestation_list"]
        event["metadata"]["profiles"].remove("record_integrity")
        event.pop("ai_agent", None)
        for evidence in event.get("evidences", []):
            evidence.pop("ai_agent", None)
        for name in ("encoding", "encoding_id", "serialization", "serialization_id"):
            del event["raw_data_hash"][name]
        schema = schemas.get_class_schema(classes[event["class_uid"]], event["metadata"]["profiles"])
        jsonschema.validators.validator_for(schema)(schema).validate(event)
    return f"{len(lines)} events"


if __name__ == "__main__":
    form, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        print(f"{form}: {globals()[form](file.read().splitlines())}")
