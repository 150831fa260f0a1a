import { CONFIG_DIAGNOSTICS } from "./configs.ts";
import type { Diagnostics } from "./diagnostic.ts";
import { FIELD_DIAGNOSTICS } from "./fields.ts";
import { HTTP_DIAGNOSTICS } from "./http.ts";
import { SERVICE_DIAGNOSTICS } from "./services.ts";

/** All problems of the generator. A test compares the codes with the codes in its source. */
export const DIAGNOSTICS: Diagnostics = {
  ...HTTP_DIAGNOSTICS,
  ...FIELD_DIAGNOSTICS,
  ...SERVICE_DIAGNOSTICS,
  ...CONFIG_DIAGNOSTICS,
};
