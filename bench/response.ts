/** The message of a response, as protobuf bytes or as JSON. */
export type Response = { readonly bytes: Uint8Array } | { readonly json: string };
