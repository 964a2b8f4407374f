import type { useForm } from "#app/console/ui/form/use-form.ts";

import type { ComposeValues } from "./compose-values.ts";

/** The members of the form that its parts use. */
export type ComposeFields = Pick<
  ReturnType<typeof useForm<ComposeValues, unknown>>,
  "field" | "set" | "errors"
>;
