/** The files with annotations that generated files import. */
export const ANNOTATIONS = "connectrest/v1/annotations.proto";
export const BEHAVIOR = "google/api/field_behavior.proto";
export const HTTP = "google/api/annotations.proto";
export const VALIDATE = "buf/validate/validate.proto";
