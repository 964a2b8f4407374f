import { Text } from "@mantine/core";

import { ConsoleError } from "#app/console/console-client.ts";

import { errorMessage } from "./error-message.ts";
import { fieldErrors } from "./form/field-errors.ts";

/** A form's error, unless it belongs to one of its fields. */
export function FormError({ error }: { error: Error | null }) {
  if (!error) return null;
  const requestId = error instanceof ConsoleError && error.status >= 500 && error.requestId;
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {errorMessage(error)}
      {requestId && ` Request ID: ${requestId}`}
    </Text>
  );
}

/** The error of a field, for forms without `useForm`. */
export const fieldError = (error: Error | null, field: string, label: string): string | null =>
  fieldErrors(error, { [field]: label })[field] ?? null;
