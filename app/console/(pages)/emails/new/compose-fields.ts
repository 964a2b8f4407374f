import type { useForm } from "#app/console/ui/form/use-form.ts";

import type { ComposeValues } from "./compose-values.ts";

/** What the parts of the form use of it. */
export type ComposeFields = Pick<
  ReturnType<typeof useForm<ComposeValues, unknown>>,
  "field" | "set" | "errors"
>;
