/** Checks that fields from the head of a response are used only where a head is available. */
import type { DescMessage } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";

/** The kinds of streams whose messages are only parts of a body. */
const WITHOUT_HEAD: ReadonlySet<string | undefined> = new Set(["paginate", "poll", "records"]);

/** Reports fields from headers or the status in messages that are never a complete response. */
export function checkHeads(
  { desc, stream }: MethodModel,
  inResponse: Iterable<DescMessage>,
  types: TypeModels,
  problems: Problems,
): void {
  for (const message of inResponse) {
    const isItem = message === desc.output && WITHOUT_HEAD.has(stream?.kind);
    if (message === desc.output ? !isItem : false) continue;
    if (isWholeResponse(message, desc.parent.file.services, isItem ? desc.localName : undefined)) continue;
    for (const field of message.fields) {
      types.field(field).sources.forEach(({ kind }, index) => {
        if (kind !== "header" && kind !== "status") return;
        const text = `${nameOf(field)} comes from a ${kind}, but ${message.typeName} is ${isItem ? "an item of a stream" : "nested in a response"}; move the field to the response message`;
        problems.add(field, [RULES, FieldRulesSchema.field.from.number, index], "from-nested", text);
      });
    }
  }
}

/**
 * Reports whether a message is also the complete response of another method, where fields from the head have
 * an effect.
 */
function isWholeResponse(
  message: DescMessage,
  services: MethodModel["desc"]["parent"]["file"]["services"],
  except: string | undefined,
): boolean {
  const methods = [...new Set([...services, ...message.file.services])].flatMap((service) => service.methods);
  return methods.some((method) => method.output === message && method.localName !== except);
}
