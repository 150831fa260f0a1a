/** Finds errors in bodies with a success status, next to a payload or in place of one. */
import {
  declaredText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MessageTable,
  type ProtoWriter,
  readsKey,
  stepsOf,
  valueAt,
} from "connect-rest-codec/internal";
import type { ResponseParts } from "../adapter/response-parts.ts";
import type { ErrorShape, MethodRules } from "../adapter/rules.ts";
import { isNothing } from "./empty.ts";

/** The path of errors if the envelope names none. */
export const ERRORS_PATH = "errors";

/** Texts in place of errors that mean "no errors". */
const NO_ERROR = /^(?:|0|false|none|null|ok)$/i;
const SUCCESS_CODE = /^(?:0|2\d\d|ok)$/i;
/** A status of 0 may also mean "failed". */
const SUCCESS_STATUS = /^(?:2\d\d|ok)$/i;

const PATHS = new WeakMap<MethodRules, readonly string[]>();

/**
 * Returns the paths that contain only errors, from the root of the body: the path in the envelope, and the
 * paths of the error shapes. Omits paths that lead to other declared values, and paths below `known`, since
 * the rules expect them in successful responses.
 */
export function errorPaths(rules: MethodRules): readonly string[] {
  let paths = PATHS.get(rules);
  if (paths === undefined) {
    const { payload = [], status, message, errors = ERRORS_PATH, known = [] } = rules.envelope ?? {};
    const others = [status, message, ...payload].filter((path) => path !== undefined);
    // many upstreams send a message even with success
    const shapes = rules.errorShapes.filter(({ kind }) => kind !== "text");
    const all = [...(payload.length === 0 ? [] : [errors]), ...shapes.map(pathOfShape)];
    paths = [...new Set(all)].filter(
      (path) =>
        path !== "" &&
        !others.some((other) => restBelow(path, other) !== undefined) &&
        !known.some((other) => restBelow(other, path) !== undefined),
    );
    PATHS.set(rules, paths);
  }
  return paths;
}

/** Returns the path at which an error shape begins. */
export function pathOfShape(shape: ErrorShape): string {
  return "path" in shape ? shape.path : "error";
}

/** Returns the paths within the payload that contain only errors, relative to the payload. */
export function errorPathsWithin(rules: MethodRules): readonly string[] {
  const { payload = [] } = rules.envelope ?? {};
  const roots = payload.length === 0 ? [""] : payload;
  return errorPaths(rules).flatMap((path) =>
    roots.map((root) => restBelow(root, path)).filter((within) => within !== undefined),
  );
}

/** Reports whether a body has errors in place of a payload: `{"data": null, "errors": [{…}]}`. */
export function hasErrorsAlone(body: JsonValue | undefined, rules: MethodRules): boolean {
  const { payload = [] } = rules.envelope ?? {};
  if (payload.length === 0 || !isJsonObject(body)) return false;
  if (payload.some((path) => !isNothing(valueAt(body, path)))) return false;
  return errorPaths(rules).some((path) => areErrors(valueAt(body, path)));
}

/**
 * Notes errors next to a payload. Callers do not see these errors unless a rule reads them.
 *
 * @param payload the path of the payload
 * @param reads reports whether a path in the payload is read
 */
export function noteErrors(
  rules: MethodRules,
  body: JsonValue | undefined,
  payload: string | undefined,
  reads: (path: string) => boolean,
  out: ProtoWriter,
): void {
  for (const path of errorPaths(rules)) {
    const value = valueAt(body, path);
    if (!areErrors(value)) continue;
    const within = payload === undefined ? undefined : restBelow(payload, path);
    if (within === undefined || !reads(within)) out.drop(declaredText(path), "no errors", value);
  }
}

/** Reports whether the parts of a message read the first key of a path in their payload. */
export function readsPath({ body, head = [], response }: ResponseParts, path: string): boolean {
  // custom code may read any path
  if (response !== undefined) return true;
  const [key = ""] = stepsOf(path);
  const inHead = head.flatMap(([, , ...sources]) =>
    sources.flatMap((source) => (typeof source === "object" && "path" in source ? [source.path] : [])),
  );
  if (inHead.some((each) => stepsOf(each)[0] === key)) return true;
  const kind = Array.isArray(body) ? body[1] : body;
  if (kind === undefined) return false;
  return kind instanceof MessageTable ? readsKey(kind, key) : true;
}

/** Reports whether a value contains errors. `[{}]`, `"none"` and `{"code": 0, "message": "OK"}` do not. */
function areErrors(value: JsonValue | undefined): boolean {
  return !(isJsonObject(value) && isSuccessCode(value)) && hasContent(value);
}

/** Reports whether the code of an object means success. If the object has no code, its status decides. */
function isSuccessCode({ code = null, status }: JsonObject): boolean {
  if (code === null) return typeof status !== "object" && SUCCESS_STATUS.test(String(status));
  return typeof code !== "object" && SUCCESS_CODE.test(String(code));
}

/**
 * Reports whether a value contains more than empty values. The code of an item in a list does not decide:
 * many servers write 0 if they have no code.
 */
function hasContent(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return !NO_ERROR.test(value.trim());
  if (Array.isArray(value)) return value.some(hasContent);
  if (isJsonObject(value)) return Object.values(value).some(hasContent);
  return value !== undefined && value !== null && value !== false && Number(value) !== 0;
}

/**
 * Returns the rest of a path below `root`: `""` if the path equals `root`, or undefined if the path is
 * elsewhere.
 */
export function restBelow(root: string, path: string): string | undefined {
  if (root === "" || root === path) return root === "" ? path : "";
  return path.startsWith(`${root}.`) ? path.slice(root.length + 1) : undefined;
}
