import type { Diagnostics } from "./diagnostic.ts";

/** Problems of the rules of fields, enums and oneofs. */
export const FIELD_DIAGNOSTICS: Diagnostics = {
  "Fields and enums": {
    "time-type": {
      meaning:
        "`time` is set on a field that is neither a `google.protobuf.Timestamp` nor a `google.protobuf.Duration`.",
      remedy: "Change the type of the field, or remove the rule.",
    },
    "time-duration": {
      meaning:
        "A Duration has `none`, `rounding` or a notation for dates, which apply only to points in time.",
      remedy:
        "Use SECONDS, MILLIS, MICROS, NANOS or ISO_8601, or remove `time` for `3.5s`. Use `absent` in place of `none`. A Duration is sent with its fraction; use an integer field for whole units.",
    },
    "time-format": {
      meaning:
        "The `format` of a time does not identify a point in time: the format has no year, or has a part without the next larger part (`YYYY-mm-DD` has a minute but no month). A part of another format language (`yyyy`, `hh`, `SSS`) or a second occurrence of a part is also reported, because the runtime would send such a part as literal text.",
      remedy:
        "Use each of `YYYY`, `MM`, `DD`, `HH`, `mm` and `ss` at most once, from the year down to the smallest part, in any order. For fractions and zones, use `unit: ISO_8601`, or a string field.",
    },
    "tuple-number": {
      meaning:
        "A tuple skips a field number. The number of each field in a tuple is the position of its item in the array.",
      remedy:
        "Number the fields 1, 2, 3 and so on. Declare items that you do not need as google.protobuf.Value.",
    },
    "tuple-request": {
      meaning:
        "A tuple is a request message, or is sent in a query or form. Parameters have names, but the items of a tuple do not.",
      remedy:
        "Make the tuple a field of a request message, and send this field in a JSON body. Or set `json_text` on the field of the request.",
    },
    "unwrap-type": {
      meaning:
        "The message of a field with `unwrap` must consist of a single list, map or `optional` field. The message must not be a tuple, whose JSON is an array, and must not lead back to itself through `unwrap` alone. If the only field is `optional`, null means that it is unset: null must not already be a value of the field, and `unwrap` must not be set on a member of a oneof, which null cannot select.",
      remedy:
        "Give the message one field, repeated or `optional`, and no other fields, or remove the rule. For a field that can hold null, such as a google.protobuf.Value, the message is not needed.",
    },
    "mask-type": {
      meaning: "`mask` is set on a field that is not a `google.protobuf.FieldMask`.",
      remedy: "Change the type of the field, or remove the rule.",
    },
    "mask-of": {
      meaning: "`mask.of` does not name a message field next to the mask or in the response.",
      remedy: "Name the message field that the mask's paths refer to.",
    },
    "mask-unset": {
      meaning:
        "`mask.unset` clears fields of a JSON body, but the request has no JSON body, or several messages are possible.",
      remedy:
        "Give the HTTP rule a JSON `body`, and name the field in the body with `mask.of`. Or remove `unset`.",
    },
    "from-source": {
      meaning: "A source in `from` sets none of `header`, `status` and `path`.",
      remedy: "Set one of `header`, `status` and `path`.",
    },
    "unknown-twice": {
      meaning: "Two fields of a message have `unknown`.",
      remedy: "Keep `unknown` on one field.",
    },
    "unknown-type": {
      meaning:
        "`unknown` is set on a field that cannot hold arbitrary keys and values, or on a tuple field that is not the last one or is not repeated.",
      remedy:
        "Use `map<string, string>` or `google.protobuf.Struct`. In a tuple, make the last field repeated.",
    },
    "type-unsupported": {
      meaning:
        "A type is not supported where it is used: JSON contains a `google.api.HttpBody`, the response type is not a JSON object, or a field with the message encoding DELIMITED is not a JSON object.",
      remedy:
        "Wrap the value in a separate message. For bytes, make the `HttpBody` the whole body. Remove `features.message_encoding`.",
    },
    "from-rel": {
      meaning: "A source has `rel`, which selects an address from a `Link` header, but no `header`.",
      remedy: "Add `header`, or remove `rel`.",
    },
    "from-status": {
      meaning:
        "The field cannot hold a status, or a bool is compared with a status that no response can have.",
      remedy:
        "Use an integer field to receive the status itself, or a bool field to compare the status with a number from 200 to 599.",
    },
    "unknown-member": {
      meaning: "A member of a oneof has `unknown`. Any unknown key would select that member.",
      remedy: "Move the field out of the oneof.",
    },
    "alias-shared": {
      meaning:
        "An alias of a field is also a name, an alias or a source of another field of the message, so that one value of a response would set both fields. Two fields may read the same value only if they have the same `name`, or if they are members of one oneof.",
      remedy: "Remove the alias from one of the fields, or give both fields the same `name`.",
    },
    "read-twice": {
      meaning:
        "Two fields, two rules, or a oneof and a field read one place of a response in ways that contradict each other: as different JSON types, one of them inside a value without keys, or one value with two meanings. Two fields may read the same value if both have the same `name`, if one of them has `from`, or if one is an enum and the other is a string that keeps its spelling.",
      remedy:
        'Correct one of the names or paths. If both fields read the value on purpose, write `from: {path: "…"}`. For a value that has different JSON types, declare a oneof with `layout: UNWRAPPED`.',
    },
    "alias-twice": {
      meaning: "An alias is empty, or is already a name of the field or enum value.",
      remedy: "Remove the alias.",
    },
    "wire-twice": {
      meaning: "Two values of an enum have the same spelling, so the second one is never read.",
      remedy: "Give one of the values another `wire` or other aliases.",
    },
    "dotted-path": {
      meaning:
        "A path into JSON has an empty key or an unmatched quote, is the root although the rule needs a part of the JSON, or begins with an index although a message is an object.",
      remedy:
        "Join keys with single dots, e.g. `meta.status`; put a key that contains dots in single quotes. For a message that is an array, use `tuple`.",
    },
  },
  Oneofs: {
    discriminator: {
      meaning: "A oneof has `layout`, `payload` or `fallback`, but no key that selects the member.",
      remedy: "Add `discriminator`, or remove the other rules.",
    },
    "key-index": {
      meaning:
        "A key ends with an index, `coords.0` or `coords[0]`, as if it were a path. The runtime would look for a key with exactly this name.",
      remedy: 'Use a path: `from: {path: "coords.0"}`, or `when: {key: "kinds.0"}` for a member of a oneof.',
    },
    "member-keys": {
      meaning:
        "A member of a FLATTENED oneof is a message that JSON writes as one value, e.g. a Timestamp, or as an array. Such a message has no keys that could be next to the discriminator.",
      remedy: "Use NESTED or BESIDE, or put the value into a message.",
    },
    fallback: {
      meaning: "`fallback` is not the name of a member of the oneof.",
      remedy: "Use the name of a member, as declared.",
    },
    payload: {
      meaning:
        "`layout: BESIDE` puts the object of the member under a separate key, but no rule names this key, or the key is the discriminator.",
      remedy: "Set `payload` to a key that nothing else uses.",
    },
    "when-twice": {
      meaning: "One value of the discriminator selects two members.",
      remedy: "Remove the value from one of the members.",
    },
    "when-missing": {
      meaning:
        "A member of a oneof can never be read: another member reads the same key, or conditions select the other members and the oneof has no discriminator.",
      remedy: "Add `when` to the members, e.g. by the JSON type of the key, or a discriminator to the oneof.",
    },
    "tuple-oneof": {
      meaning: "A tuple contains a oneof, although each field of a tuple has its own position in the array.",
      remedy: "Move the oneof to a message with the layout UNWRAPPED, and make this message an item.",
    },
    "when-unread": {
      meaning:
        "A condition tests whether a key is present, or its JSON type, but neither the member nor another field reads the key. The value of the key would be lost.",
      remedy:
        "Declare a field for the key in the member's message or next to the oneof. If the key holds the member, set `layout: NESTED`.",
    },
    "unwrapped-alone": {
      meaning:
        "A oneof has the layout UNWRAPPED, so its member replaces the message, but the message has other fields.",
      remedy: "Move the other fields to another message, or use another layout.",
    },
    "unwrapped-type": {
      meaning:
        "The layout UNWRAPPED selects members by JSON types. A member has no type, has the same type as another member, cannot hold values of its type, or has a condition with more than a type.",
      remedy:
        "Give each member except the fallback a `when` with a different type. For a list, use a message with `unwrap`.",
    },
    "unwrapped-request": {
      meaning:
        "A oneof of the layout UNWRAPPED belongs to the request message itself, or is sent in a query or form, where values of several members could be the same string.",
      remedy:
        "Move the oneof to a separate message, and send this message in a JSON body. Or make sure that at most one member is a string, a number or a boolean.",
    },
    "from-nested": {
      meaning:
        "A field comes from a header or the status, but its message is nested in a response or is an item of a stream. Neither headers nor the status are available in nested messages and items.",
      remedy: "Move the field to the response message.",
    },
    "when-member": {
      meaning: "`when` is set on a field that is not a member of a oneof.",
      remedy: "Remove the rule.",
    },
    "when-empty": {
      meaning: "A condition checks nothing.",
      remedy: "Set `values`, `present` or `type`.",
    },
    "when-never": {
      meaning:
        "A condition can never hold: its parts exclude each other, or the condition of an earlier member of the oneof holds first.",
      remedy: "Correct the condition, or declare the member with the more specific condition first.",
    },
    "when-key": {
      meaning:
        "A condition has no key to check. The default key is the discriminator, which exists only for members of a oneof with a discriminator.",
      remedy: "Set `key`.",
    },
    "when-type": {
      meaning: "A condition names a type that JSON does not have.",
      remedy: "Use `string`, `number`, `boolean`, `object` or `array`.",
    },
  },
};
