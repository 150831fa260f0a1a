import type { Envelope, Work } from "connect-rest-codec/internal";
import {
  EmptyTable,
  MessageTable,
  NO_DIFFERENCES,
  ProtoWriter,
  pool,
  reportedSteps,
  type Scanner,
  type ScanPlan,
  scanner,
  stepsOf,
} from "connect-rest-codec/internal";
import type { AnyMethodAdapter, PaginateAdapter, UnaryAdapter } from "../adapter/adapter.ts";
import type { HeadSource } from "../adapter/response-parts.ts";
import type { EnvelopeRule, MethodRules } from "../adapter/rules.ts";
import { concernsSuccess } from "../errors/upstream-error.ts";
import { isSuccess, type UpstreamResponse } from "../upstream/upstream.ts";
import { EMPTY_BODY, isPlainJson } from "./body.ts";
import type { Decoded } from "./decoded.ts";
import { pathsAround } from "./envelope-keys.ts";
import { headerReader } from "./headers.ts";
import { bodyOfPage } from "./page-body.ts";
import { checked, type ReadResponse } from "./read-response.ts";
import { errorPaths, errorPathsWithin, restBelow } from "./success-errors.ts";
import { writeHead } from "./write-message.ts";

/** After 2^`MAX_PASSES` consecutive failures, the scanner tries only every 256th response of a method. */
const MAX_PASSES = 8;

/** The scanner's state for one method. */
type Subject = {
  readonly plan: ScanPlan;
  /** Whether rules of the method search for errors in a body with status 200. */
  readonly mayBeError: boolean;
  /** The keys within the payload that may contain errors. */
  readonly errorKeys: ReadonlySet<string>;
  /**
   * The number of consecutive responses that the scanner could not read, and the number of responses that it
   * still has to skip.
   */
  misses: number;
  passes: number;
};

/** Reads typical responses without JSON.parse (see codec/scanner). The decoder reads all other responses. */
export class ResponseScanner {
  private readonly scanner: Scanner;
  /** Writes the fields of a message that come from the head of a response. */
  private readonly out = new ProtoWriter();
  private readonly subjects = new WeakMap<AnyMethodAdapter, Subject | "none">();

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  /** Creates the scanner for all calls of a transport. Returns undefined where WebAssembly is not allowed. */
  static create(): ResponseScanner | undefined {
    const shared = scanner();
    return shared && new ResponseScanner(shared);
  }

  /**
   * Reads a typical successful response. Returns undefined for other responses, which the decoder has to
   * read.
   */
  read(
    adapter: UnaryAdapter,
    rules: MethodRules,
    response: UpstreamResponse,
    maxCost: number,
  ): ReadResponse | undefined {
    const { status, headers } = response;
    if (!isSuccess(status, rules)) return undefined;
    const header = headerReader(headers);
    const decoded = this.message(adapter, rules, response, header("content-type"), maxCost);
    return decoded && this.withHead(adapter, { status, header, body: EMPTY_BODY, decoded });
  }

  /** Reports whether `readInPieces` should read a body. */
  isLarge(body: Uint8Array): boolean {
    return this.scanner.isLarge(body);
  }

  /** Like `read`, but in pieces, for a large body. */
  *readInPieces(
    adapter: UnaryAdapter,
    rules: MethodRules,
    response: UpstreamResponse,
    maxCost: number,
  ): Work<ReadResponse | undefined> {
    const { status, headers } = response;
    if (!isSuccess(status, rules)) return undefined;
    const header = headerReader(headers);
    const decoded = yield* this.messageInPieces(adapter, rules, response, header("content-type"), maxCost);
    return decoded && this.withHead(adapter, { status, header, body: EMPTY_BODY, decoded });
  }

  /**
   * Adds the fields from the head of a response to a message. Returns undefined if these fields have
   * differences to report.
   */
  private withHead(
    { head }: UnaryAdapter,
    response: ReadResponse & { readonly decoded: Decoded },
  ): ReadResponse | undefined {
    if (head === undefined) return response;
    const { status, header, decoded } = response;
    const { out } = this;
    out.reset();
    try {
      writeHead(head, { status, header, payload: undefined, bytes: undefined }, out);
    } catch {
      // the decoder produces the same message, and reports the differences
      return undefined;
    }
    const { lost, converted, additional } = out.found().counts;
    if (lost + converted + additional > 0 || out.inexact || out.keptNumbers) return undefined;
    const more = out.finish();
    if (more.length === 0) return response;
    const bytes = pool.acquire(decoded.bytes.length + more.length);
    bytes.set(decoded.bytes);
    bytes.set(more, decoded.bytes.length);
    pool.release(decoded.bytes);
    pool.release(more);
    return { ...response, decoded: { ...decoded, bytes } };
  }

  /**
   * Returns the message of a successful response, or undefined if the decoder has to read the response.
   *
   * @param maxCost the limit `maxResponseCost`
   */
  message(
    adapter: UnaryAdapter,
    rules: MethodRules,
    response: UpstreamResponse,
    contentType: string | undefined,
    maxCost: number,
  ): Decoded | undefined {
    const subject = this.subjectFor(adapter, rules, response, contentType);
    if (subject === undefined) return undefined;
    const { status, body } = response;
    const bytes = this.scanner.scan(body, subject.plan, status === 200, maxCost);
    const { differences } = this.scanner;
    return settled(subject, bytes && { bytes, differences });
  }

  /** Like `message`, but in pieces, for a large body. */
  *messageInPieces(
    adapter: UnaryAdapter,
    rules: MethodRules,
    response: UpstreamResponse,
    contentType: string | undefined,
    maxCost: number,
  ): Work<Decoded | undefined> {
    const subject = this.subjectFor(adapter, rules, response, contentType);
    if (subject === undefined) return undefined;
    const { status, body } = response;
    const decoded = yield* this.scanner.scanInPieces(body, subject.plan, status === 200, maxCost);
    return settled(subject, decoded);
  }

  /**
   * Returns a page whose items are already decoded, or undefined if the decoder has to read the response.
   *
   * @param now milliseconds since 1970
   * @throws ConnectError for an error in a response with a success status
   */
  page(
    adapter: PaginateAdapter,
    rules: MethodRules,
    response: UpstreamResponse,
    now: number,
    maxCost: number,
  ): ReadResponse | undefined {
    const { status, headers, body } = response;
    if (!isSuccess(status, rules)) return undefined;
    const header = headerReader(headers);
    const subject = this.subjectFor(adapter, rules, response, header("content-type"));
    if (subject === undefined) return undefined;
    const found = this.scanner.scanPage(body, subject.plan, status === 200, maxCost);
    const { next } = adapter;
    const wantsLast = next.kind === "cursor" && next.from === "last_item";
    const around = found && bodyOfPage(body, found, listPath(adapter), wantsLast);
    counted(subject, around !== undefined);
    if (found === undefined || around === undefined) return undefined;
    const items = { items: found.items, differences: this.scanner.differences };
    return { ...checked(response, header, around, rules, now), items };
  }

  /** Returns the state for the method of a response, or undefined if the response should not be scanned. */
  private subjectFor(
    adapter: UnaryAdapter | PaginateAdapter,
    rules: MethodRules,
    { status }: UpstreamResponse,
    contentType: string | undefined,
  ): Subject | undefined {
    const subject = this.subjectOf(adapter);
    if (subject === undefined) return undefined;
    if (status === 200 ? subject.mayBeError : rules.errors.some((rule) => concernsSuccess(rule, status))) {
      return undefined;
    }
    return isPlainJson(rules.responseEncoding, contentType) && !isPassed(subject) ? subject : undefined;
  }

  private subjectOf(adapter: UnaryAdapter | PaginateAdapter): Subject | undefined {
    const known = this.subjects.get(adapter);
    if (known !== undefined) return known === "none" ? undefined : known;
    const subject = this.newSubject(adapter);
    this.subjects.set(adapter, subject ?? "none");
    return subject;
  }

  private newSubject(adapter: UnaryAdapter | PaginateAdapter): Subject | undefined {
    const { rules } = adapter;
    const plan = adapter.kind === "unary" ? this.messagePlan(adapter) : this.pagePlan(adapter);
    if (plan === undefined) return undefined;
    return {
      plan,
      mayBeError: rules.errors.some((rule) => concernsSuccess(rule, 200)),
      errorKeys: new Set(errorPathsWithin(rules).map((path) => stepsOf(path)[0] ?? "")),
      misses: 0,
      passes: 0,
    };
  }

  private messagePlan({ body, head = [], response, rules }: UnaryAdapter): ScanPlan | undefined {
    const isInBody = head.some(([, , ...sources]) => sources.some(isPath));
    if (body === undefined || response !== undefined || isInBody) return undefined;
    // the scanner reports keys that may contain errors only if the table of the message names its keys
    const isNamed = body instanceof MessageTable && body !== EmptyTable;
    if (!isNamed && errorPathsWithin(rules).length > 0) return undefined;
    // status 0, because the scanner reads no response whose status an error rule with a body names
    const known = pathsAround(rules, rules.envelope?.payload[0], 0);
    const envelope = envelopeOf(rules.envelope, body instanceof MessageTable, known, errorPaths(rules));
    return envelope && this.scanner.plan(body, envelope);
  }

  private pagePlan(adapter: PaginateAdapter): ScanPlan | undefined {
    const { rules, items, item } = adapter;
    const [path = "", ...others] = items;
    // the values that distinguish the items are inside the items, which are not parsed
    if (adapter.next.kind === "cursor" && adapter.next.overlap !== undefined) return undefined;
    if (others.length > 0 || (rules.envelope?.payload.length ?? 0) > 1) return undefined;
    const envelope = envelopeOf({ ...rules.envelope, payload: [listPath(adapter)] }, false);
    return envelope && this.scanner.plan({ item, path }, envelope);
  }
}

function isPath(source: HeadSource): boolean {
  return typeof source === "object" && "path" in source;
}

/** Returns the path of the list from the root of the body, if there is only one path. */
function listPath({ rules, items: [path = ""] }: PaginateAdapter): string {
  return [rules.envelope?.payload[0] ?? "", path].filter((each) => each !== "").join(".");
}

function isPassed(subject: Subject): boolean {
  if (subject.passes === 0) return false;
  subject.passes--;
  return true;
}

/** Records whether the scanner could read a response of a method. */
function counted(subject: Subject, isRead: boolean): void {
  subject.misses = isRead ? 0 : Math.min(subject.misses + 1, MAX_PASSES);
  if (!isRead) subject.passes = 2 ** subject.misses - 2;
}

/**
 * Records whether a message could be read. Returns undefined for a message that may contain errors, which the
 * decoder reports.
 */
function settled<T extends Decoded>(subject: Subject, decoded: T | undefined): T | undefined {
  const { list, counts } = decoded?.differences ?? NO_DIFFERENCES;
  const isUnsure =
    subject.errorKeys.size > 0 &&
    (counts.additional > list.filter((each) => each.class === "additional").length ||
      list.some(({ path }) => mayBeAt(path, subject.errorKeys)));
  counted(subject, decoded !== undefined && !isUnsure);
  return isUnsure ? undefined : decoded;
}

/** Reports whether the path of a report begins with one of these keys, or with a truncated key. */
function mayBeAt(path: string, keys: ReadonlySet<string>): boolean {
  const [first] = reportedSteps(path);
  return first?.isCut === true || keys.has(String(first?.key ?? ""));
}

interface Inner extends Envelope {
  readonly keys: Map<string, Inner | "payload" | "status" | "errors" | "known">;
}

/**
 * Returns the keys of an envelope, or undefined if a path contains more than keys. If there are several
 * payload paths, uses the first: an object there is the message regardless of the other paths, and the
 * decoder reads all other values.
 *
 * @param known paths of the keys around the payload, or undefined if all keys are known
 * @param errors paths around the payload at which a body may contain errors
 */
function envelopeOf(
  rule: EnvelopeRule | undefined,
  isMessage: boolean,
  known?: readonly string[],
  errors: readonly string[] = [],
): Envelope | "payload" | undefined {
  const [path = "", ...others] = rule?.payload ?? [];
  if (others.length > 0 && !isMessage) return undefined;
  if (path === "") return rule?.status === undefined ? "payload" : undefined;
  const envelope: Inner = { keys: new Map(), isOpen: known === undefined };
  const isPlain = place(envelope, path, "payload");
  if (!isPlain || (rule?.status !== undefined && !place(envelope, rule.status, "status"))) return undefined;
  if (known === undefined) return envelope;
  const around = errors.filter((each) => restBelow(path, each) === undefined);
  const outermost = around.filter((each) => !around.some((other) => each.startsWith(`${other}.`)));
  // keeps the order in which the decoder reports differences
  const isPlaced = [...new Set(known)].every((each) =>
    outermost.includes(each) ? place(envelope, each, "errors") : placeKnown(envelope, each),
  );
  return isPlaced ? envelope : undefined;
}

const PATH = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/**
 * Adds a part of an envelope at its path. Returns false if the path contains more than keys, or if there is
 * already another part.
 */
function place(envelope: Inner, path: string, part: "payload" | "status" | "errors"): boolean {
  if (!PATH.test(path)) return false;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = innerAt(envelope, keys);
  if (holder === undefined || holder.keys.has(last)) return false;
  holder.keys.set(last, part);
  return true;
}

/** Marks a path and everything below it as known. Returns false if the path contains more than keys. */
function placeKnown(envelope: Inner, path: string): boolean {
  if (!PATH.test(path)) return false;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = innerAt(envelope, keys);
  const there = holder?.keys.get(last);
  if (there === undefined) holder?.keys.set(last, "known");
  if (typeof there === "object") holder?.keys.set(last, opened(there));
  return true;
}

/** Returns an envelope whose keys are all known. */
function opened({ keys }: Inner): Inner {
  const inner = [...keys].map(
    ([key, each]) => [key, typeof each === "object" ? opened(each) : each] as const,
  );
  return { keys: new Map(inner), isOpen: true };
}

/** Returns the object below the given keys, or undefined if a part of the envelope is on the path. */
function innerAt(envelope: Inner, keys: readonly string[]): Inner | undefined {
  let at = envelope;
  for (const key of keys) {
    const inner = at.keys.get(key) ?? { keys: new Map(), isOpen: at.isOpen };
    if (typeof inner === "string") return undefined;
    at.keys.set(key, inner);
    at = inner;
  }
  return at;
}
