import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescMessage, fromBinary, isMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { CalledDocument } from "../calls.ts";
import type { OpenApi, Operation } from "./document.ts";
import { type Echo, echoDocument, echoesOf } from "./echo.ts";
import { SchemaValidator } from "./schema-validator.ts";
import { differenceOf, isValueObject, parseExact, printExact, Tolerance, type Value } from "./values.ts";

/** A document whose adapters receive values and send them back. */
export class EchoedDocument {
  readonly document: OpenApi;
  readonly echoes: readonly Echo[];
  private readonly called: CalledDocument;
  private readonly validator: SchemaValidator;

  private constructor(document: OpenApi, echoes: readonly Echo[], called: CalledDocument) {
    this.document = document;
    this.echoes = echoes;
    this.called = called;
    this.validator = new SchemaValidator(document.value, document.version);
  }

  static async load(
    document: OpenApi,
    name: string,
    operations: readonly Operation[] = document.operations,
  ): Promise<EchoedDocument> {
    const echoes = echoesOf(document, operations);
    const folder = mkdtempSync(join(tmpdir(), "echo-"));
    try {
      const path = join(folder, "echo.json");
      writeFileSync(path, JSON.stringify(echoDocument(document, echoes)));
      return new EchoedDocument(document, echoes, await CalledDocument.load(path, name));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  remove(): void {
    this.called.remove();
  }

  async isValid({ schema }: Echo, value: Value): Promise<boolean> {
    return (await this.validator.problems(schema.pointer, value)).length === 0;
  }

  /** Receives a value, sends the decoded message back, and returns every loss and every change. */
  async problems(echo: Echo, value: Value): Promise<readonly string[]> {
    const method = this.called.method(`${echo.operationId.replace(/^e/, "E")}`);
    const answer = { body: printExact(value), headers: { "content-type": "application/json" } };
    const received = await this.called.call(method, create(method.input), () => answer);
    const { differences } = received;
    const lost = differences.filter((difference) => !/^(?:additional|converted) /.test(difference));
    const [message] = received.messages;
    if (!isMessage(message, method.output)) return [...lost, "no message"];
    const back = await this.called.call(
      method,
      requestOf(method.input, method.output, message),
      () => answer,
    );
    const body = back.requests[0]?.body;
    const printed = body === undefined ? undefined : parseExact(new TextDecoder().decode(body));
    const tolerance = new Tolerance(differences);
    const difference = differenceOf(value, printed, tolerance);
    const complete = printed === undefined ? value : restored(printed, value, tolerance);
    const violations = await this.validator.problems(echo.schema.pointer, complete);
    return [...lost, ...(difference === undefined ? [] : [difference]), ...violations];
  }
}

/**
 * Restores the nulls of the received value, which requests do not send, and the integers that became strings.
 */
function restored(printed: Value, received: Value, tolerance: Tolerance): Value {
  if (tolerance.isText(received, printed)) return received;
  if (Array.isArray(printed) && Array.isArray(received)) {
    return printed.map((item: Value, index) => restored(item, received[index] ?? item, tolerance));
  }
  if (!isValueObject(printed) || !isValueObject(received)) return printed;
  const nulls = Object.entries(received).filter(
    ([key, each]) => each === null && !Object.hasOwn(printed, key),
  );
  const others = Object.entries(printed).map(([key, each]) => {
    return [key, restored(each, received[key] ?? each, tolerance)] as const;
  });
  return Object.fromEntries([...others, ...nulls]);
}

/**
 * Returns the request message with the content of a response message. Both messages have the same fields with
 * the same numbers, except for the names of types.
 */
function requestOf(input: DescMessage, output: DescMessage, message: Message): Message {
  return fromBinary(input, toBinary(output, message));
}
