import { type JsonValue, KnownPaths, type ProtoWriter } from "connect-rest-codec/internal";
import type { MethodRules } from "../adapter/rules.ts";
import { concernsSuccess } from "../errors/upstream-error.ts";
import { noteStatus, payloadPath } from "./envelope.ts";
import { ERRORS_PATH, noteErrors, pathOfShape } from "./success-errors.ts";

/** The paths around the payload that a method's rules mention, by the path of the payload. */
const KNOWN = new WeakMap<MethodRules, Map<string, KnownPaths>>();

/**
 * Notes differences around the payload of a body: in the status, in errors, and for unknown keys.
 *
 * @param status the status of the response
 * @param reads reports whether rules or fields read a path in the payload
 * @param type the type of the payload, as in `payloadOf`
 */
export function noteAround(
  rules: MethodRules,
  body: JsonValue | undefined,
  status: number,
  reads: (path: string) => boolean,
  out: ProtoWriter,
  type?: MethodRules["payloadType"],
): void {
  const statusPath = rules.envelope?.status;
  if (statusPath !== undefined) noteStatus(body, statusPath, out);
  const paths = rules.envelope?.payload ?? [];
  const chosen = paths.length === 0 ? "" : payloadPath(body, paths, type);
  noteErrors(rules, body, chosen, reads, out);
  // if the body is the payload, there are no keys around it
  if (chosen !== "") knownAround(rules, chosen, status).note(body, out);
}

/** Returns the known keys around the payload at a path. */
function knownAround(rules: MethodRules, chosen: string | undefined, status: number): KnownPaths {
  const byPath = KNOWN.get(rules) ?? new Map<string, KnownPaths>();
  KNOWN.set(rules, byPath);
  const name = `${status} ${chosen ?? ""}`;
  const known = byPath.get(name) ?? new KnownPaths(pathsAround(rules, chosen, status));
  byPath.set(name, known);
  return known;
}

/**
 * Returns the paths in a body that rules read or mention, beginning with the payload's path.
 *
 * @param responded the status of the response, as in `pathsOfBody`
 */
export function pathsAround(
  rules: MethodRules,
  payload: string | undefined,
  responded: number,
): readonly string[] {
  const { payload: paths = [], known = [] } = rules.envelope ?? {};
  // if an alternative path contains the payload, including that path would make all keys around the payload
  // known
  const others = paths.filter((path) => path !== "" && !payload?.startsWith(`${path}.`));
  const own = payload === undefined ? [] : [payload];
  return [...own, ...pathsOfBody(rules, responded), ...others, ...known];
}

/**
 * Returns the paths in a body that rules read in addition to its payload, including paths that only errors
 * have.
 *
 * @param responded the success status of the response; paths that only rules for other statuses read are
 *   omitted
 */
export function pathsOfBody(rules: MethodRules, responded: number): readonly string[] {
  const { errors, errorShapes, errorMetadata = [], retryAfter } = rules;
  const { payload = [], status, message, errors: errorsPath = ERRORS_PATH } = rules.envelope ?? {};
  const ofEnvelope = payload.length === 0 ? [] : [status, message, errorsPath];
  const ofErrors = [
    ...errors.filter((rule) => concernsSuccess(rule, responded)).map(({ body }) => body?.key),
    ...errorShapes.map(pathOfShape),
    ...[...errorMetadata, ...retryAfter].map(({ path }) => path),
  ];
  return [...ofEnvelope, ...ofErrors].filter((path) => path !== undefined).filter((path) => path !== "");
}
