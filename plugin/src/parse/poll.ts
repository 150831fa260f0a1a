import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { millisOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import {
  type Poll,
  type PollBatch,
  PollBatchSchema,
  type PollPages,
  type PollRequest,
  PollRequestSchema,
  PollSchema,
} from "../gen/connectrest/v1/stream_rules_pb.ts";
import { suggestion } from "../model/field-path.ts";
import type { Frozen } from "../model/freeze.ts";
import type { FeedModel, StreamModel } from "../model/model.ts";
import { methodRules, rootless } from "./options.ts";

const POLL = MethodRulesSchema.field.poll.number;
const { field: RULE } = PollSchema;
const DEFAULT_INTERVAL_MS = 60_000;
const HEARTBEAT = "connectrest.v1.Heartbeat";
const DURATION = "google.protobuf.Duration";

/** Parses the rule of a feed; returns undefined if the rule has a problem. */
export function parsePoll(rule: Frozen<Poll>, desc: DescMethod, problems: Problems): StreamModel | undefined {
  const parser = new PollParser(desc, problems);
  if (rule.items === "") {
    return parser.fault("stream-items", 'poll needs the path to its items, e.g. items: "."');
  }
  if (rule.key === "") {
    return parser.fault("poll-key", 'poll needs a key that identifies an item, e.g. key: "id"');
  }
  const feed = rule.batch && parser.feed(rule, rule.batch);
  if (rule.batch !== undefined && feed === undefined) return undefined;
  return {
    kind: "poll",
    items: rootless(rule.items),
    key: rule.key,
    intervalHeader: rule.intervalHeader.toLowerCase(),
    intervalMs: rule.interval === undefined ? DEFAULT_INTERVAL_MS : millisOf(rule.interval),
    skipBacklog: rule.skipBacklog,
    known: rule.known,
    feed,
  };
}

/** Reports whether a feed uses a request field for the start of the stream, so that the field is not sent. */
export function isTakenByPoll(desc: DescMethod, { name }: DescField): boolean {
  const { request } = methodRules(desc).poll ?? {};
  if (request === undefined) return false;
  const { backlog, after, resumeToken, heartbeat } = request;
  return [backlog, after, resumeToken, heartbeat].includes(name);
}

/** The requirement on a field, in words, and a function that checks it. */
interface Kind {
  readonly text: string;
  readonly holds: (field: DescField) => boolean;
}

const scalar = (text: string, type: ScalarType): Kind => ({
  text: `a field of type ${text}`,
  holds: (field) => field.fieldKind === "scalar" && field.scalar === type,
});
const message = (typeName: string): Kind => ({
  text: `a field of type ${typeName}`,
  holds: (field) => field.fieldKind === "message" && field.message.typeName === typeName,
});
const BOOL = scalar("bool", ScalarType.BOOL);
const STRING = scalar("string", ScalarType.STRING);
const ITEMS: Kind = {
  text: "a repeated field of messages",
  holds: (field) => field.fieldKind === "list" && field.listKind === "message",
};
const FOLDABLE: Kind = {
  text: "a field of type string outside of oneofs",
  holds: (field) => STRING.holds(field) && field.oneof === undefined,
};

/** Finds the fields that the rule names. */
class PollParser {
  private readonly desc: DescMethod;
  private readonly problems: Problems;
  private isSound = true;

  constructor(desc: DescMethod, problems: Problems) {
    this.desc = desc;
    this.problems = problems;
  }

  fault(code: string, text: string, ...below: readonly number[]): undefined {
    this.isSound = false;
    this.problems.add(this.desc, [RULES, POLL, ...below], code, text);
    return undefined;
  }

  feed(rule: Frozen<Poll>, batch: Frozen<PollBatch>): FeedModel | undefined {
    const fields = this.batch(batch);
    const start = this.start(rule.request);
    const fold = rule.ignoreCase.map((name, index) =>
      this.field(this.desc.input, name, FOLDABLE, RULE.ignoreCase.number, index),
    );
    const { items, token, late, gap, heartbeat } = fields;
    const isWhole = items !== undefined && token !== undefined && items.fieldKind === "list";
    if (!this.isSound || !isWhole || items.listKind !== "message") return undefined;
    return {
      batch: { items, token, late, gap, heartbeat },
      item: items.message,
      start,
      fold: fold.filter((field) => field !== undefined),
      pages: rule.pages && pagesOf(rule.pages),
    };
  }

  private batch({ items, resumeToken, late, gap, heartbeat }: Frozen<PollBatch>) {
    const { field: BATCH } = PollBatchSchema;
    const place = RULE.batch.number;
    const { output } = this.desc;
    if (items === "") {
      this.fault("poll-batch", "poll: batch needs the repeated field with its items; set items", place);
    }
    if (resumeToken === "") {
      this.fault("poll-batch", "poll: batch needs a field for the resume token; set resume_token", place);
    }
    const find = (name: string, kind: Kind, { number }: { readonly number: number }) =>
      name === "" ? undefined : this.field(output, name, kind, place, number);
    const fields = {
      items: find(items, ITEMS, BATCH.items),
      token: find(resumeToken, STRING, BATCH.resumeToken),
      late: find(late, BOOL, BATCH.late),
      gap: find(gap, BOOL, BATCH.gap),
      heartbeat: find(heartbeat, message(HEARTBEAT), BATCH.heartbeat),
    };
    this.checkEach(Object.values(fields), place);
    if (this.isSound) this.checkFilled(Object.values(fields));
    return fields;
  }

  private start(request: Frozen<PollRequest> | undefined): FeedModel["start"] {
    const { field: REQUEST } = PollRequestSchema;
    const place = RULE.request.number;
    const { backlog = "", after = "", resumeToken = "", heartbeat = "" } = request ?? {};
    const find = (name: string, kind: Kind, { number }: { readonly number: number }) =>
      name === "" ? undefined : this.field(this.desc.input, name, kind, place, number);
    const fields = {
      backlog: find(backlog, BOOL, REQUEST.backlog),
      after: find(after, STRING, REQUEST.after),
      token: find(resumeToken, STRING, REQUEST.resumeToken),
      heartbeat: find(heartbeat, message(DURATION), REQUEST.heartbeat),
    };
    this.checkEach(Object.values(fields), place);
    return fields;
  }

  private field(
    desc: DescMessage,
    name: string,
    kind: Kind,
    ...place: readonly number[]
  ): DescField | undefined {
    const field = desc.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      const text = `poll: message ${desc.typeName} has no field \`${name}\`${suggestion(name, desc)}`;
      return this.fault("stream-field", text, ...place);
    }
    if (kind.holds(field)) return field;
    return this.fault("poll-field", `poll: \`${name}\` must be ${kind.text}`, ...place);
  }

  /** Checks that each field is used only once. */
  private checkEach(fields: ReadonlyArray<DescField | undefined>, place: number): void {
    const seen = new Set<DescField>();
    for (const field of fields) {
      if (field === undefined) continue;
      if (seen.has(field)) {
        this.fault(
          "poll-field",
          `poll: \`${field.name}\` is named twice; use a field of its own for each`,
          place,
        );
      }
      seen.add(field);
    }
  }

  /** Reports fields that nothing fills, so that they would be empty in every message. */
  private checkFilled(fields: ReadonlyArray<DescField | undefined>): void {
    for (const field of this.desc.output.fields) {
      if (fields.includes(field)) continue;
      const text = `poll: \`${field.name}\` of the batch ${nameOf(this.desc.output)} would never be set; name it in batch, or remove it`;
      this.fault("poll-batch", text, RULE.batch.number);
    }
  }
}

function pagesOf({ next, size, max }: Frozen<PollPages>): NonNullable<FeedModel["pages"]> {
  return {
    link: next.case === "linkHeader" ? next.value : "",
    parameter: next.case === "page" ? next.value : "",
    size,
    max,
  };
}
