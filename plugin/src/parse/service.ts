import { type DescMethod, type DescService, hasOption } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { positionOf } from "../diagnostics/position.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { method, service } from "../gen/connectrest/v1/annotations_pb.ts";
import { httpRule } from "./options.ts";

/** Reports rules that have no effect because the method, or all methods of the service, lack an HTTP rule. */
export function checkMapped(desc: DescService, problems: Problems): void {
  for (const each of desc.methods) {
    if (isMapped(each) || !hasOption(each, method) || isFromConfig(each)) continue;
    const text = `${nameOf(each)} has rules, but no HTTP rule, so there is no call for them; add google.api.http`;
    problems.add(each, [RULES], "service-unmapped", text);
  }
  if (!hasOption(desc, service) || desc.methods.some(isMapped) || isFromConfig(desc)) return;
  const text = `${nameOf(desc)} has rules, but none of its methods has an HTTP rule; add google.api.http to a method`;
  problems.add(desc, [RULES], "service-unmapped", text);
}

/**
 * Reports whether the rules of an element come from a service config, which applies them to all elements that
 * its selectors match.
 */
function isFromConfig(desc: DescMethod | DescService): boolean {
  const { file } = desc.kind === "rpc" ? desc.parent : desc;
  return positionOf(desc, [RULES]).file !== file.proto.name;
}

function isMapped(desc: DescMethod): boolean {
  return httpRule(desc) !== undefined;
}
