/** Finds error rules that hide later rules. */
import type { ErrorRule } from "../gen/connectrest/v1/error_rules_pb.ts";
import type { When } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { Frozen } from "../model/freeze.ts";

type Rule = Frozen<ErrorRule>;

/** Reports whether a rule matches every response that another rule matches. */
export function covers(general: Rule, specific: Rule): boolean {
  return (
    (general.status === 0 || general.status === specific.status) &&
    (subcodeOf(general) === "" || subcodeOf(general) === subcodeOf(specific)) &&
    coversHeader(general.header, specific.header) &&
    coversBody(general.body, specific.body)
  );
}

/** Returns the subcode as a string, because the runtime compares subcodes as strings. */
function subcodeOf({ subcode, subcodeText }: Rule): string {
  return subcode === undefined ? subcodeText : String(subcode);
}

function coversHeader(general: Rule["header"], specific: Rule["header"]): boolean {
  if (general === undefined) return true;
  const plain = (text = "") => text.trim().toLowerCase();
  if (plain(general.name) !== plain(specific?.name)) return false;
  return general.value === "" || plain(general.value) === plain(specific?.value);
}

function coversBody(general: Frozen<When> | undefined, specific: Frozen<When> | undefined): boolean {
  if (general === undefined) return true;
  if (specific === undefined || general.key !== specific.key) return false;
  const { values, present, type } = specific;
  const isPresent = present === true || values.length > 0 || type !== "";
  const isText = values.length > 0 && values.every(isOnlyText);
  return (
    (general.values.length === 0 ||
      (values.length > 0 && values.every((each) => general.values.includes(each)))) &&
    (general.present === undefined || general.present === present || (general.present && isPresent)) &&
    (general.type === "" || general.type === type || (general.type === "string" && isText))
  );
}

/** Reports whether a value can only be a string: `7` and `true` can also be a number and a boolean. */
function isOnlyText(value: string): boolean {
  return !/^(?:true|false|-?[\d.].*)$/.test(value);
}
