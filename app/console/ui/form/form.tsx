import { Anchor, Button, type ButtonProps, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import type { ReactNode } from "react";

import { Modal } from "#app/console/ui/dialog.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { useTexts } from "#app/console/ui/texts.tsx";

import classes from "./form.module.css";
import type { ConsoleForm } from "./use-form.ts";

type FormProps = Buttons & {
  form: ConsoleForm;
  gap?: "xs" | "md" | "lg";
  maxWidth?: number;
  /** Replaces the buttons. */
  actions?: ReactNode;
  children: ReactNode;
};

/**
 * The form element of `useForm`: children in a column, a notice if a draft was restored, the errors that no field
 * shows, and the buttons.
 */
export function Form({ form, actions, gap = "md", maxWidth, children, ...buttons }: FormProps) {
  const text = useTexts();
  return (
    <form id={form.id} onSubmit={form.submit} method="post" noValidate>
      <Stack gap={gap} {...(maxWidth && { maw: maxWidth })}>
        {form.isRestored && (
          <Text size="sm" c="dimmed" role="status">
            {text("form.restored")}{" "}
            <Anchor component="button" type="button" inherit onClick={form.discard}>
              {text("form.startOver")}
            </Anchor>
          </Text>
        )}
        {children}
        <FieldErrorCount errors={form.errors} />
        <FormError error={form.error} />
        {actions === undefined ? <FormButtons form={form} {...buttons} /> : actions}
      </Stack>
    </form>
  );
}

type Buttons = {
  /** The verb and its object: "Create domain". */
  submit?: ReactNode;
  /** Replaces the label while the form is sent. */
  pendingLabel?: string;
  isDangerous?: boolean;
  /** For a form that isn't the page's main one. */
  isSecondary?: boolean;
  /** In a dialog: adds Cancel. It discards the draft; closing the dialog any other way keeps it. */
  onClose?: () => void;
  /** On a page: adds Cancel, which discards the draft and goes to this URL. */
  cancelHref?: string | undefined;
  /** After the button. */
  beside?: ReactNode;
};

function FormButtons({ form, submit, onClose, cancelHref, beside, ...look }: ButtonsProps) {
  const text = useTexts();
  const { isDangerous, isSecondary, pendingLabel } = look;
  return (
    <Group gap="xs" {...(onClose && { justify: "flex-end" })}>
      {onClose && (
        <Button
          variant="default"
          onClick={() => {
            form.discard();
            onClose();
          }}
        >
          {text("cancel")}
        </Button>
      )}
      <SubmitButton
        form={form}
        {...(isDangerous && { color: "red.8" })}
        {...(isSecondary && { variant: "default" })}
        {...(pendingLabel !== undefined && { pendingLabel })}
      >
        {submit}
      </SubmitButton>
      {cancelHref !== undefined && (
        <Button component={Link} href={cancelHref} variant="default" onClick={form.discard}>
          {text("cancel")}
        </Button>
      )}
      {beside}
    </Group>
  );
}

type ButtonsProps = Buttons & { form: ConsoleForm };

type FormDialogProps = FormProps & { title: string; size?: string; onClose: () => void };

/** A dialog that is a form, open as long as it is rendered. */
export const FormDialog = ({ title, size, ...form }: FormDialogProps) => (
  <Modal opened onClose={form.onClose} title={title} {...(size !== undefined && { size })}>
    <Form {...form} />
  </Modal>
);

/** With one marked field, its focus says enough. */
function FieldErrorCount({ errors }: { errors: ConsoleForm["errors"] }) {
  const text = useTexts();
  const count = Object.keys(errors).length;
  if (count < 2) return null;
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {text("form.check", { count })}
    </Text>
  );
}

type SubmitButtonProps = ButtonProps & {
  form: Pick<ConsoleForm, "isPending">;
  children: ReactNode;
  pendingLabel?: string;
};

/** @param pendingLabel replaces the label while the form is sent, where that says more */
export const SubmitButton = ({ form, children, pendingLabel, ...props }: SubmitButtonProps) => (
  <Button {...props} type="submit" aria-busy={form.isPending}>
    {(form.isPending && pendingLabel) || children}
  </Button>
);

type SavedStatusProps = { form: Pick<ConsoleForm, "isSaved">; children?: ReactNode };

/** "Saved", until something is typed. Announced to screen readers. */
export const SavedStatus = ({ form, children = "Saved" }: SavedStatusProps) => (
  <Text role="status">{form.isSaved && children}</Text>
);

/** A change that the form would save: "Block IMAP for 308 mailboxes, 212 used it this week". */
export type Change = { name: string; text: string };

/**
 * The buttons of a form whose changes reach many people. While there are changes, it sticks to the bottom
 * edge, says what saving them will do, and lists them on request.
 */
export function ChangeBar({ form, changes }: { form: ConsoleForm; changes: Change[] }) {
  const [isReviewing, review] = useDisclosure();
  if (changes.length === 0) return null;

  function save() {
    // The form has the spinner and shows the errors.
    review.close();
    document.querySelector<HTMLFormElement>(`#${CSS.escape(form.id)}`)?.requestSubmit();
  }

  const [first, ...more] = changes;
  return (
    <div className={classes.bar} role="group" aria-label="Unsaved changes">
      <Text role="status" className={classes.text}>
        {first!.text}
        {more.length > 0 && ` and ${pluralize(more.length, "more change")}`}
      </Text>
      <Group gap="xs" wrap="nowrap" className={classes.buttons}>
        <Button variant="default" onClick={form.discard}>
          Discard
        </Button>
        <Button variant="default" onClick={review.open}>
          Review
        </Button>
        <SubmitButton form={form}>Save</SubmitButton>
      </Group>
      <Modal opened={isReviewing} onClose={review.close} title="Review changes">
        <Stack gap="md">
          <ul className={classes.changes}>
            {changes.map(({ name, text }) => (
              <li key={name}>{text}</li>
            ))}
          </ul>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={review.close}>
              Keep editing
            </Button>
            <Button onClick={save}>Save changes</Button>
          </Group>
        </Stack>
      </Modal>
    </div>
  );
}
