import { CONFIG_DIAGNOSTICS } from "./configs.ts";
import type { Diagnostics } from "./diagnostic.ts";
import { FIELD_DIAGNOSTICS } from "./fields.ts";
import { HTTP_DIAGNOSTICS } from "./http.ts";
import { SERVICE_DIAGNOSTICS } from "./services.ts";

/** All problems that the generator reports. A test compares their codes with the source of the generator. */
export const DIAGNOSTICS: Diagnostics = {
  ...HTTP_DIAGNOSTICS,
  ...FIELD_DIAGNOSTICS,
  ...SERVICE_DIAGNOSTICS,
  ...CONFIG_DIAGNOSTICS,
};
