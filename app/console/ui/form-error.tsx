import { Text } from "@mantine/core";

import { ConsoleError } from "#app/console/console-client.ts";

import { errorMessage } from "./error-message.ts";

/** Why a form was not accepted, where no field of it is to blame. */
export function FormError({ error }: { error: Error | null }) {
  if (!error) return null;
  const requestId = error instanceof ConsoleError && error.status >= 500 && error.requestId;
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {errorMessage(error)}
      {requestId && ` Request ${requestId}`}
    </Text>
  );
}

/** The refusal's sentence when it is of this kind, to show beside the field that it is about. */
export function errorForReason(error: Error | null, reason: string): string | null {
  return error instanceof ConsoleError && error.reason === reason ? error.message : null;
}

/**
 * What is wrong with a field, as a sentence that begins with its label. Refusals name the field first:
 * "owner.password: must have at least 12 characters".
 */
export function fieldError(error: Error | null, field: string, label: string): string | null {
  const prefix = `${field}: `;
  if (!error?.message.startsWith(prefix)) return null;
  return `${label} ${error.message.slice(prefix.length)}`;
}
