import type { DescMethod } from "@bufbuild/protobuf";
import { isJsonObject, type JsonValue } from "connect-rest-codec/internal";
import type { Difference } from "connect-rest-runtime";
import { DIFFERENCE_CLASSES } from "connect-rest-runtime/internal";
import { type Finding, keyOf, type Verification } from "./finding.ts";
import type { Place } from "./locate.ts";
import type { Messages } from "./object-fields.ts";
import type { WireMethod, WireOperation } from "./operations.ts";

/** The maximum number of findings. */
const MAX_FINDINGS = 10_000;

/** The maximum number of unknown keys of an object. An object with more keys is likely a map. */
const MAX_KEYS = 100;

/** A finding in one sample. */
type Found = Omit<Finding, "operation" | "count" | "samples" | "length"> & {
  readonly length?: number | undefined;
  /** Whether the declaration is a message or a field. A method is the place of everything else. */
  readonly isInMessage?: boolean;
};

type Counted = {
  finding: Omit<Finding, "count" | "samples" | "length">;
  count: number;
  least: number;
  most: number;
};

/** Collects findings, and counts the samples in which each occurs. */
export class Findings {
  private readonly byKey = new Map<string, Counted>();
  private readonly keys = new Map<string, Set<string>>();
  private readonly samples = new Map<string, number>();
  private readonly inSample = new Set<string>();
  private omitted = 0;
  private readonly messages: Messages;

  constructor(messages: Messages) {
    this.messages = messages;
  }

  /** Counts a sample of an operation. */
  sample({ name }: WireOperation): void {
    this.samples.set(name, (this.samples.get(name) ?? 0) + 1);
    this.inSample.clear();
  }

  /** Adds a difference in a response. */
  difference(operation: WireOperation, { adapter }: WireMethod, difference: Difference, place: Place): void {
    const { class: as, expected, got } = difference;
    const { message: name, field } = place;
    const { parent: service, name: method } = adapter.method as DescMethod;
    const message = field?.parent ?? this.messages.get(name ?? "");
    this.add(operation, {
      in: "response",
      class: as,
      path: field === undefined && as === "additional" ? this.boundedPath(operation, place.path) : place.path,
      expected,
      got: got.split(" ")[0] ?? "",
      length: lengthOf(place.value),
      file: `${(message ?? service).file.name}.proto`,
      declaration:
        message === undefined
          ? `${service.typeName}.${method}`
          : `${message.typeName}${field === undefined ? "" : `.${field.name}`}`,
      isInMessage: message !== undefined,
    });
  }

  /** Returns the path of an unknown key, with `*` in place of the key if its object has too many. */
  private boundedPath({ name }: WireOperation, path: string): string {
    const at = Math.max(path.lastIndexOf("."), path.lastIndexOf('["'));
    const object = `${name} ${path.slice(0, Math.max(at, 0))}`;
    const keys = this.keys.get(object) ?? new Set();
    this.keys.set(object, keys);
    if (keys.size < MAX_KEYS) keys.add(path);
    return keys.has(path) ? path : `${path.slice(0, Math.max(at, 0))}.*`.replace(/^\./, "");
  }

  /** Adds a finding; several in one sample count once. */
  add({ name }: WireOperation, { length, isInMessage = false, ...found }: Found): void {
    const finding = { operation: name, ...found };
    const key = keyOf(finding);
    const counted = this.byKey.get(key) ?? {
      finding,
      count: 0,
      least: Number.POSITIVE_INFINITY,
      most: Number.NEGATIVE_INFINITY,
    };
    // methods that share an operation find the same difference; the table of one may not contain its place
    if (isInMessage) counted.finding = finding;
    if (!this.byKey.has(key) && this.byKey.size >= MAX_FINDINGS) {
      this.omitted++;
      return;
    }
    this.byKey.set(key, counted);
    if (length !== undefined) {
      counted.least = Math.min(counted.least, length);
      counted.most = Math.max(counted.most, length);
    }
    if (this.inSample.has(key)) return;
    this.inSample.add(key);
    counted.count++;
  }

  result(): Pick<Verification, "findings" | "omitted" | "operations"> {
    const findings = [...this.byKey.values()].map(({ finding, count, least, most }): Finding => {
      const samples = this.samples.get(finding.operation) ?? 0;
      return { ...finding, count, samples, ...(most >= least && { length: { least, most } }) };
    });
    return { findings: findings.toSorted(inOrder), omitted: this.omitted, operations: this.samples };
  }
}

/** Orders findings by operation, then by class, severe classes first, then by path. */
function inOrder(a: Finding, b: Finding): number {
  const severity = ({ class: as }: Finding) => -DIFFERENCE_CLASSES.indexOf(as);
  return a.operation.localeCompare(b.operation) || severity(a) - severity(b) || a.path.localeCompare(b.path);
}

function lengthOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}
