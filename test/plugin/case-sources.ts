/** Sources for cases of problems. */

/** A source, without its head, and the problems it must give: `line:column: code: text`, one a line. */
export interface ProblemCase {
  /** Also the name of the file and package. */
  readonly name: string;
  readonly source: string;
  readonly problems: readonly string[];
}

export const GET = 'rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; }';

/** A service with one method; lines count from its first one. */
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
