import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import classes from "./change-bar.module.css";
import { pluralize } from "./format.ts";
import { SubmitButton } from "./form/form.tsx";
import type { ConsoleForm } from "./form/use-form.ts";
import { Modal } from "./modal.tsx";

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
