/** The service that explains calls. Its module is loaded only by gateways that serve it. */
export const EXPLAIN_SERVICE = "connectrest.explain.v1.ExplainService";

/** The names of its only method. */
export const EXPLAIN_METHOD = { name: "Explain", parent: { typeName: EXPLAIN_SERVICE } } as const;

/** The scope for calls of this service. */
export const EXPLAIN_SCOPE = "explain";
