import { Anchor, Button, type ButtonProps, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { FormError } from "#app/console/ui/form-error.tsx";

import type { ConsoleForm } from "./use-form.ts";

/**
 * The form element of `useForm`: children in a column, a notice if a draft was restored, and the errors that no field
 * shows.
 *
 * @param actions the buttons, below the errors
 */
export function Form({
  form,
  actions,
  gap = "md",
  maxWidth,
  children,
}: {
  form: ConsoleForm;
  actions: ReactNode;
  gap?: "xs" | "md" | "lg";
  maxWidth?: number;
  children: ReactNode;
}) {
  return (
    <form id={form.id} onSubmit={form.submit} method="post" noValidate>
      <Stack gap={gap} {...(maxWidth && { maw: maxWidth })}>
        {form.isRestored && (
          <Text size="sm" c="dimmed" role="status">
            Restored what you typed before.{" "}
            <Anchor component="button" type="button" inherit onClick={form.discard}>
              Start over
            </Anchor>
          </Text>
        )}
        {children}
        <FieldErrorCount errors={form.errors} />
        <FormError error={form.error} />
        {actions}
      </Stack>
    </form>
  );
}

/** With one marked field, its focus says enough. */
function FieldErrorCount({ errors }: { errors: ConsoleForm["errors"] }) {
  const count = Object.keys(errors).length;
  if (count < 2) return null;
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      Check the {count} marked fields.
    </Text>
  );
}

/** @param pendingLabel replaces the label while the form is sent, where that says more */
export function SubmitButton({
  form,
  children,
  pendingLabel,
  ...props
}: ButtonProps & {
  form: Pick<ConsoleForm, "isPending">;
  children: ReactNode;
  pendingLabel?: string;
}) {
  return (
    <Button {...props} type="submit" aria-busy={form.isPending}>
      {(form.isPending && pendingLabel) || children}
    </Button>
  );
}

/** "Saved", until something is typed. Announced to screen readers. */
export function SavedStatus({
  form,
  children = "Saved",
}: {
  form: Pick<ConsoleForm, "isSaved">;
  children?: ReactNode;
}) {
  return <Text role="status">{form.isSaved && children}</Text>;
}
