import { hashOf } from "../../runtime/src/text/hash.ts";

/** The secret of the client. */
export const MACHINE_SECRET = "a secret of thirty-two characters and more";

/** A client that acts for itself, without a person. */
export const MACHINE = {
  client_id: "machine",
  client_secret: hashOf(MACHINE_SECRET),
  token_endpoint_auth_method: "client_secret_post",
  grant_types: ["client_credentials"],
  response_types: [],
  redirect_uris: [],
};
