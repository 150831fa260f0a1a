/** Checks rules for long-running operations. */
import { millisOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import { type Operation, OperationSchema } from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { Frozen } from "../model/freeze.ts";
import type { MethodModel } from "../model/model.ts";
import { checkCondition } from "./conditions.ts";
import { headerFault, pathFault } from "./syntax.ts";

const RULE = MethodRulesSchema.field.operation.number;
const { field: OPERATION } = OperationSchema;

/** The maximum delay of a Node.js timer. */
const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

type Add = (place: readonly number[], code: string, text: string) => void;

/** Reports rules for long-running operations that cannot be applied. */
export function checkOperation({ desc, annotation, rules, stream }: MethodModel, problems: Problems): void {
  const { operation } = annotation;
  if (operation === undefined) return;
  const subject = nameOf(desc);
  const add: Add = (place, code, text) =>
    problems.add(desc, [RULES, RULE, ...place], code, `operation of ${subject}: ${text}`);
  checkStatus(operation.status, add);
  checkConditions(operation, add);
  checkResult(operation, stream !== undefined, add);
  const reads = rules.responseEncoding !== "bytes" && rules.responseEncoding !== "empty";
  if (!reads) {
    add(
      [],
      "operation-encoding",
      `its states are in JSON, which response_encoding ${rules.responseEncoding.toUpperCase()} does not read`,
    );
  }
  const { interval, maxPolls } = operation;
  const ms = interval === undefined ? 1 : millisOf(interval);
  if (ms <= 0 || ms > LONGEST_INTERVAL_MS) {
    add(
      [OPERATION.interval.number],
      "operation-interval",
      `expected more than 0 and at most ${LONGEST_INTERVAL_MS} ms, got ${ms} ms`,
    );
  }
  if (maxPolls < 0) {
    add(
      [OPERATION.maxPolls.number],
      "operation-polls",
      `expected 1 poll or more, or 0 for the default, got ${maxPolls}`,
    );
  }
}

function checkStatus(status: Frozen<Operation>["status"], add: Add): void {
  switch (status.case) {
    case "header": {
      const fault = headerFault(status.value);
      if (fault !== undefined) add([OPERATION.header.number], "header-name", fault);
      return;
    }
    case "link":
      checkPath(status.value, OPERATION.link.number, add);
      return;
    case "path": {
      const key = /^\/[^{}?#]*\{([^{}]+)\}[^{}?#]*$/.exec(status.value)?.[1];
      const fault = key === undefined ? undefined : pathFault(key, "no root");
      if (key === undefined || fault !== undefined) {
        const text =
          fault ?? `expected a path with one variable, e.g. \`/v1/{name}\`, got \`${status.value}\``;
        add([OPERATION.path.number], "operation-path", text);
      }
    }
  }
}

function checkPath(path: string, place: number, add: Add): void {
  const fault = pathFault(path, "no root");
  if (fault !== undefined) add([place], "dotted-path", fault);
}

function checkConditions({ done, failed }: Frozen<Operation>, add: Add): void {
  for (const [name, when] of [
    ["done", done],
    ["failed", failed],
  ] as const) {
    if (when === undefined) continue;
    checkCondition(when, "", (place, code, text) =>
      add([OPERATION[name].number, ...place], code, `the condition \`${name}\` ${text}`),
    );
  }
}

function checkResult({ result, resultLink }: Frozen<Operation>, isStream: boolean, add: Add): void {
  if (result !== "") checkPath(result, OPERATION.result.number, add);
  if (resultLink !== "") checkPath(resultLink, OPERATION.resultLink.number, add);
  const place = result === "" ? OPERATION.resultLink.number : OPERATION.result.number;
  if (result !== "" && resultLink !== "") {
    add(
      [place],
      "operation-result",
      "the result is in the payload or behind a link, not both; set result or result_link",
    );
  } else if (isStream && result + resultLink !== "") {
    add(
      [place],
      "operation-result",
      "the messages of a stream are the states, not the result; remove it, or make the method unary",
    );
  }
}
