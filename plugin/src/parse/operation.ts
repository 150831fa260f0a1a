/** Parses the rule for long-running operations. */
import { millisOf } from "../descriptors/well-known.ts";
import type { Operation } from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { Frozen } from "../model/freeze.ts";
import type { OperationModel } from "../model/rules.ts";
import { parseCondition } from "./condition.ts";
import { rootless } from "./options.ts";

/** A path with one variable: the constant text before it, its name, and the constant text after it. */
const TEMPLATE = /^(\/[^{}]*)\{([^{}]+)\}([^{}]*)$/;

/** Parses the rule of a method. Empty parts are omitted. The checks report an invalid path. */
export function parseOperation(option: Frozen<Operation>): OperationModel {
  const { done, failed, result, resultLink, interval, maxPolls } = option;
  return {
    status: parseStatus(option.status),
    ...(done === undefined ? {} : { done: parseCondition(done) }),
    ...(failed === undefined ? {} : { failed: parseCondition(failed) }),
    ...(result === "" ? {} : { result }),
    ...(resultLink === "" ? {} : { resultLink }),
    ...(interval === undefined ? {} : { intervalMs: millisOf(interval) }),
    ...(maxPolls === 0 ? {} : { maxPolls }),
  };
}

function parseStatus(status: Frozen<Operation>["status"]): OperationModel["status"] {
  switch (status.case) {
    case "header":
      return { kind: "header", header: status.value.toLowerCase() };
    case "link":
      return { kind: "link", path: rootless(status.value) };
    case "path": {
      const [, before = "", key = "", after = ""] = TEMPLATE.exec(status.value) ?? [];
      return { kind: "path", before, key, after };
    }
    default:
      return { kind: "header", header: "location" };
  }
}
