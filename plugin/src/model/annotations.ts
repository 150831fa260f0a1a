import type { MethodRules, ServiceRules } from "../gen/connectrest/v1/method_rules_pb.ts";
import type { Frozen } from "./freeze.ts";

/**
 * The options of a service and of a method as written, for checks that compare them or name them in messages.
 * The `Rules` of a method combine the two.
 */
export type ServiceAnnotation = Frozen<ServiceRules>;
export type MethodAnnotation = Frozen<MethodRules>;
