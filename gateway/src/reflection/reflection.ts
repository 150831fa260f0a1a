import type { DescFile, MessageInitShape } from "@bufbuild/protobuf";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection as ReflectionV1,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from "../gen/grpc/reflection/v1/reflection_pb.ts";
import {
  ServerReflection as ReflectionV1Alpha,
  type ServerReflectionResponse as ResponseV1Alpha,
} from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { show } from "../text/show.ts";
import type { FileIndex } from "./file-index.ts";
import { withImports } from "./with-imports.ts";

type Response = MessageInitShape<typeof ServerReflectionResponseSchema>;
type MessageResponse = NonNullable<Response["messageResponse"]>;

/** The schema for reflection: the names of the services, and the files that declare them. */
export interface Schema {
  readonly services: readonly string[];
  readonly files: FileIndex;
}

/** Serves both versions of the reflection protocol. */
export function reflectionRoutes(router: ConnectRouter, schema: () => Promise<Schema>): void {
  router.service(ReflectionV1, { serverReflectionInfo: (requests) => reflect(requests, schema) });
  router.service(ReflectionV1Alpha, {
    // the versions differ only in the package of their messages
    serverReflectionInfo: (requests) =>
      reflect(
        requests as unknown as AsyncIterable<ServerReflectionRequest>,
        schema,
      ) as unknown as AsyncIterable<ResponseV1Alpha>,
  });
}

/**
 * Responds to the requests of a reflection stream in order. One implementation serves both versions of the
 * protocol, because their messages are identical. `schema` is called late, because the services are known
 * only once all routes are registered.
 */
async function* reflect(
  requests: AsyncIterable<ServerReflectionRequest>,
  schema: () => Promise<Schema>,
): AsyncGenerator<Response> {
  const sent = new Set<DescFile>();
  for await (const request of requests) {
    const originalRequest = request;
    yield {
      validHost: request.host,
      originalRequest,
      messageResponse: respond(request, await schema(), sent),
    };
  }
}

function respond(
  { messageRequest: question }: ServerReflectionRequest,
  schema: Schema,
  sent: Set<DescFile>,
): MessageResponse {
  const { files } = schema;
  const fileOr = (file: DescFile | undefined, missing: string) =>
    file === undefined ? failure(Code.NotFound, missing) : fileResponse(file, files, sent);
  switch (question.case) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: schema.services.map((name) => ({ name })) } };
    case "fileByFilename":
      return fileOr(files.byName(question.value), `no file ${show(question.value)}`);
    case "fileContainingSymbol":
      return fileOr(files.bySymbol(question.value), `no symbol ${show(question.value)}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = question.value;
      const text = `no extension ${extensionNumber} of ${show(containingType)}`;
      return fileOr(files.byExtension(containingType, extensionNumber), text);
    }
    case "allExtensionNumbersOfType": {
      const extensionNumber = files.extensionNumbers(question.value);
      if (extensionNumber === undefined) return failure(Code.NotFound, `no message ${show(question.value)}`);
      const value = { baseTypeName: question.value, extensionNumber: [...extensionNumber] };
      return { case: "allExtensionNumbersResponse", value };
    }
    default:
      return failure(Code.InvalidArgument, "the request asks nothing; set one field of message_request");
  }
}

function fileResponse(file: DescFile, index: FileIndex, sent: Set<DescFile>): MessageResponse {
  // the requested file is always sent, and first; imports are sent once per stream
  const files = [file, ...withImports(file).filter((each) => each !== file && !sent.has(each))];
  for (const each of files) sent.add(each);
  const fileDescriptorProto = files.map((each) => index.encode(each));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function failure(errorCode: Code, errorMessage: string): MessageResponse {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
