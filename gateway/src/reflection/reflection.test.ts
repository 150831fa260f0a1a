import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerReflection as V1 } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as V1Alpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService });
});
afterAll(() => server.close());

type Question =
  | {
      case: "listServices" | "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType";
      value: string;
    }
  | { case: "fileContainingExtension"; value: { containingType: string; extensionNumber: number } }
  | { case: undefined };

describe.each([V1, V1Alpha])("$typeName", (service) => {
  async function ask(...questions: readonly Question[]) {
    const client = createClient(service as typeof V1, createGrpcTransport({ baseUrl: server.url }));
    async function* requests() {
      for (const messageRequest of questions) yield { host: "h", messageRequest };
    }
    const answers = [];
    for await (const answer of client.serverReflectionInfo(requests())) answers.push(answer);
    return answers;
  }

  function fileNames(answer: Awaited<ReturnType<typeof ask>>[number] | undefined): string[] {
    const response = answer?.messageResponse;
    if (response?.case !== "fileDescriptorResponse") throw new Error(`no files, but ${response?.case}`);
    return response.value.fileDescriptorProto.map(
      (bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name,
    );
  }

  test("lists the services by name, and repeats the request", async () => {
    const [answer] = await ask({ case: "listServices", value: "" });
    expect(answer?.messageResponse).toMatchObject({
      case: "listServicesResponse",
      value: {
        service: [
          { name: "echo.v1.EchoService" },
          { name: "grpc.health.v1.Health" },
          { name: "grpc.reflection.v1.ServerReflection" },
          { name: "grpc.reflection.v1alpha.ServerReflection" },
        ],
      },
    });
    expect(answer).toMatchObject({
      validHost: "h",
      originalRequest: { messageRequest: { case: "listServices" } },
    });
  });

  test.each([
    "echo.v1.EchoService",
    "echo.v1.EchoService.Echo",
    "echo.v1.EchoRequest",
    "echo.v1.EchoRequest.text",
  ])("finds the file of %s and its imports", async (symbol) => {
    const [answer] = await ask({ case: "fileContainingSymbol", value: symbol });
    const names = fileNames(answer);
    expect(names[0]).toBe("echo/v1/echo.proto");
    expect(names).toContain("buf/validate/validate.proto");
    expect(names).toContain("google/protobuf/descriptor.proto");
  });

  test("finds oneofs, enums and enum values", async () => {
    const symbols = [
      "grpc.health.v1.HealthCheckResponse.ServingStatus",
      "grpc.health.v1.HealthCheckResponse.SERVING",
      "buf.validate.FieldRules.type",
      "buf.validate.field",
    ];
    const answers = await ask(...symbols.map((value) => ({ case: "fileContainingSymbol", value }) as const));
    expect(answers.map((answer) => fileNames(answer)[0])).toEqual([
      "grpc/health/v1/health.proto",
      "grpc/health/v1/health.proto",
      "buf/validate/validate.proto",
      "buf/validate/validate.proto",
    ]);
  });

  test("finds the types of error details", async () => {
    const symbols = [
      "google.rpc.ErrorInfo",
      "google.rpc.RetryInfo",
      "buf.validate.Violations",
      "connectrest.v1.UpstreamError",
    ];
    const answers = await ask(...symbols.map((value) => ({ case: "fileContainingSymbol", value }) as const));
    expect(answers.map((answer) => fileNames(answer)[0])).toEqual([
      "google/rpc/error_details.proto",
      "google/rpc/error_details.proto",
      "buf/validate/validate.proto",
      "connectrest/v1/upstream_error.proto",
    ]);
  });

  test("sends each import once per stream, and the requested file every time", async () => {
    const question = { case: "fileByFilename", value: "echo/v1/echo.proto" } as const;
    const [first, second] = await ask(question, question);
    expect(fileNames(first).length).toBeGreaterThan(1);
    expect(fileNames(second)).toEqual(["echo/v1/echo.proto"]);
  });

  test("finds extensions and their numbers", async () => {
    const type = "google.protobuf.FieldOptions";
    const [file, numbers, none] = await ask(
      { case: "fileContainingExtension", value: { containingType: type, extensionNumber: 1159 } },
      { case: "allExtensionNumbersOfType", value: type },
      { case: "allExtensionNumbersOfType", value: "echo.v1.EchoRequest" },
    );
    expect(fileNames(file)[0]).toBe("buf/validate/validate.proto");
    expect(numbers?.messageResponse.value).toMatchObject({
      baseTypeName: type,
      extensionNumber: [1159, 1160],
    });
    expect(none?.messageResponse.value).toMatchObject({ extensionNumber: [] });
  });

  test("reports unknown names and keeps the stream open", async () => {
    const answers = await ask(
      { case: "fileByFilename", value: "no.proto" },
      { case: "fileContainingSymbol", value: "no.Symbol" },
      { case: "fileContainingExtension", value: { containingType: "no.Type", extensionNumber: 1 } },
      { case: "allExtensionNumbersOfType", value: "no.Type" },
      { case: undefined },
      { case: "listServices", value: "" },
    );
    expect(answers.slice(0, 5).map((answer) => answer.messageResponse.value)).toMatchObject([
      { errorCode: 5, errorMessage: 'no file "no.proto"' },
      { errorCode: 5, errorMessage: 'no symbol "no.Symbol"' },
      { errorCode: 5, errorMessage: 'no extension 1 of "no.Type"' },
      { errorCode: 5, errorMessage: 'no message "no.Type"' },
      { errorCode: 3, errorMessage: "the request asks nothing; set one field of message_request" },
    ]);
    expect(answers[5]?.messageResponse.case).toBe("listServicesResponse");
  });
});
