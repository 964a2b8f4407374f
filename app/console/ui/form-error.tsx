import { Text } from "@mantine/core";

import { ConsoleError } from "#app/console/console-client.ts";

import { errorMessage } from "./error-message.ts";

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

/**
 * A field's error, starting with the field's label. The server's messages start with the field's path:
 * "owner.password: must have at least 12 characters".
 */
export function fieldError(error: Error | null, field: string, label: string): string | null {
  const prefix = `${field}: `;
  if (!error?.message.startsWith(prefix)) return null;
  return `${label} ${error.message.slice(prefix.length)}`;
}
