import type { Diagnostics } from "./diagnostic.ts";

/** Problems of the rules of fields, enums and oneofs. */
export const FIELD_DIAGNOSTICS: Diagnostics = {
  "Fields and enums": {
    "time-type": {
      meaning:
        "`time` is set for a field that is no `google.protobuf.Timestamp` and no `google.protobuf.Duration`.",
      remedy: "Change the type of the field, or take the rule away.",
    },
    "time-duration": {
      meaning: "A duration has a notation of dates, or a value for none.",
      remedy: "Use SECONDS, MILLIS, MICROS, NANOS or ISO_8601; leave the rule away for `3.5s`.",
    },
    "time-format": {
      meaning: "The `format` of a time has no year, so that it says no point in time.",
      remedy: "Write a pattern with `YYYY`, `MM`, `DD`, `HH`, `mm` and `ss`.",
    },
    "unwrap-type": {
      meaning: "`unwrap` is set for a field whose message is not a single list.",
      remedy: "Give the message one repeated field and no other, or take the rule away.",
    },
    "from-source": {
      meaning: "A source in `from` has neither `header`, `status` nor `path`.",
      remedy: "Add one.",
    },
    "unknown-twice": {
      meaning: "Two fields of a message collect unknown keys.",
      remedy: "Keep one.",
    },
    "unknown-type": {
      meaning: "`unknown` is set for a field that cannot hold any keys with any values.",
      remedy: "Use `map<string, string>` or `google.protobuf.Struct`.",
    },
    "type-unsupported": {
      meaning:
        "A type cannot be where it is: a `google.api.HttpBody` inside of JSON, or an answer that is no object.",
      remedy: "Wrap it in a message of your own; for bytes, make the `HttpBody` the whole body.",
    },
    "from-rel": {
      meaning: "A source has `rel`, which chooses an address in a `Link` header, but no header.",
      remedy: "Add `header`, or take `rel` away.",
    },
    "from-status": {
      meaning:
        "A status is to go into a field that cannot hold it, or a bool is to tell a status that cannot come.",
      remedy: "Use a number for the status itself, a bool for whether it equals one from 200 to 599.",
    },
    "unknown-member": {
      meaning: "A member of a oneof collects unknown keys, so that any unknown key would choose it.",
      remedy: "Move the field out of the oneof.",
    },
    "alias-twice": {
      meaning: "An alias is empty, or says what is a name already.",
      remedy: "Take it away.",
    },
    "wire-twice": {
      meaning: "Two values of an enum have one spelling, so that the second is never read.",
      remedy: "Give one of them another `wire` or other aliases.",
    },
    "dotted-path": {
      meaning:
        "A path into JSON has an empty key or a lone quote, or is the root where only a part of it can be meant.",
      remedy: "Join keys by single dots, e.g. `meta.status`; put a key that has dots into single quotes.",
    },
  },
  Oneofs: {
    discriminator: {
      meaning: "A oneof has `layout`, `payload` or `fallback`, but no key that chooses the member.",
      remedy: "Add `discriminator`, or take the other rules away.",
    },
    fallback: {
      meaning: "`fallback` names no member of the oneof.",
      remedy: "Name a member, as it is declared.",
    },
    payload: {
      meaning: "With `layout: BESIDE` the member's object stands under a key of its own, which is not named.",
      remedy: "Add `payload`.",
    },
    "when-twice": {
      meaning: "One value of the discriminator chooses two members.",
      remedy: "Take it away from one of them.",
    },
    "when-member": {
      meaning: "`when` is set for a field that is in no oneof.",
      remedy: "Take the rule away.",
    },
    "when-empty": {
      meaning: "A condition says nothing.",
      remedy: "Set `values`, `present` or `type`.",
    },
    "when-key": {
      meaning:
        "A condition has no key to look at. For a member of a oneof the discriminator is the default, where there is one.",
      remedy: "Set `key`.",
    },
    "when-type": {
      meaning: "A condition names a type that JSON does not have.",
      remedy: "Use `string`, `number`, `boolean`, `object` or `array`.",
    },
  },
};
