"""Makes calls with grpcio and says what it reads in their responses.

A JSON array of calls on standard input, a JSON array of results on standard output.
"""

import base64
import json
import sys

import grpc

COMPRESSIONS = {"gzip": grpc.Compression.Gzip, "deflate": grpc.Compression.Deflate}


def method_of(channel, call):
    """The method of a call; messages are bytes on either side."""
    make = {
        "unary": channel.unary_unary,
        "serverStream": channel.unary_stream,
        "clientStream": channel.stream_unary,
        "bidiStream": channel.stream_stream,
    }[call["kind"]]
    return make(call["path"], request_serializer=bytes, response_deserializer=bytes)


def responses_of(channel, call):
    messages = [base64.b64decode(message) for message in call["messages"]]
    has_one_request = call["kind"] in ("unary", "serverStream")
    timeout_ms = call.get("timeoutMs")
    response = method_of(channel, call)(
        messages[0] if has_one_request else iter(messages),
        metadata=list(call.get("metadata", {}).items()),
        timeout=None if timeout_ms is None else timeout_ms / 1000,
        compression=COMPRESSIONS.get(call.get("compression")),
    )
    has_one_response = call["kind"] in ("unary", "clientStream")
    return iter([response]) if has_one_response else response


def perform(call):
    options = [("grpc.service_config", call["config"])] if "config" in call else []
    responses = 0
    with grpc.insecure_channel(call["target"], options) as channel:
        try:
            for _ in responses_of(channel, call):
                responses += 1
        except grpc.RpcError as error:
            trailers = dict(error.trailing_metadata() or ())
            details = trailers.get("grpc-status-details-bin", b"")
            return result_of(call, error.code().value[0], error.details(), details, responses)
    return result_of(call, 0, "", b"", responses)


def result_of(call, code, message, details, responses):
    return {
        "name": call["name"],
        "code": code,
        "message": message,
        "details": base64.b64encode(details).decode(),
        "responses": responses,
    }


json.dump([perform(call) for call in json.load(sys.stdin)], sys.stdout)
