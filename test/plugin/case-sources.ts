/** Helpers that build the .proto sources of problem cases. */

/** A source without its head, and the expected problems: `line:column: code: text`, one per line. */
export interface ProblemCase {
  /** The name of the case, which is also the name of the file and package. */
  readonly name: string;
  readonly source: string;
  readonly problems: readonly string[];
}

export const GET = 'rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; }';

/** Returns a service with one method. Line numbers start at the first line of the service. */
export function method(http: string, rules = "", message = "string name = 1;"): string {
  return `service S {
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {${http}};
    ${rules}
  }
}
message Req { ${message} }
message Res {}`;
}

export function request(fields: string, more = ""): string {
  return `service S { ${GET} }
message Res {}
message Req {
  ${fields}
}
${more}`;
}

export function response(fields: string, more = ""): string {
  return `service S { ${GET} }
message Req {}
message Res {
  ${fields}
}
${more}`;
}
