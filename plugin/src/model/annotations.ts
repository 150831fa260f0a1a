import type { MethodRules, ServiceRules } from "../gen/connectrest/v1/method_rules_pb.ts";
import type { Frozen } from "./freeze.ts";

/**
 * The options of a service, and of a method, as they are written: what checks compare and name in their
 * texts. What follows from both together are the `Rules` of a method.
 */
export type ServiceAnnotation = Frozen<ServiceRules>;
export type MethodAnnotation = Frozen<MethodRules>;
