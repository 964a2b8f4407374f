"use client";

import { PasswordInput } from "@mantine/core";

import { ConfirmDialog, Modal } from "#app/console/ui/dialog.tsx";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { useAction } from "#app/console/ui/actions.tsx";

import type { ImportActionName } from "./import-columns.tsx";
import { cancelMailImport, type MailImport, repeatMailImport } from "./queries.ts";

export type ImportAction = {
  name: ImportActionName;
  row: Pick<MailImport, "id" | "mailbox" | "account" | "hasSecret">;
};

const INVALIDATES = [["mailImports"]];

/** What a menu or button does with an import. Asks for the password if none is stored. */
export function useImportAction(open: (action: ImportAction) => void) {
  const repeat = useAction({
    call: ({ id }: ImportAction["row"]) => repeatMailImport(id),
    invalidates: INVALIDATES,
    success: "Importing new mail",
  });
  return (name: ImportActionName, row: ImportAction["row"]) => {
    if (name === "repeat" && row.hasSecret) repeat.start(row);
    else open({ name, row });
  };
}

export function ImportActionDialog({
  action,
  onClose,
}: {
  action: ImportAction;
  onClose: () => void;
}) {
  const cancel = useAction({
    call: () => cancelMailImport(action.row.id),
    invalidates: INVALIDATES,
    success: action.name === "cancel" ? "Import canceled" : "Password erased",
  });
  if (action.name === "repeat") return <ImportPasswordDialog row={action.row} onClose={onClose} />;
  if (action.name === "cancel")
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title="Cancel import"
        confirmLabel="Cancel import"
        cancelLabel="Keep importing"
        onConfirm={cancel.run}
      >
        Messages imported so far stay in {action.row.mailbox}, and the password is erased. You can
        start the import again: it continues where it stopped.
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Erase password"
      confirmLabel="Erase password"
      onConfirm={cancel.run}
    >
      Posthouse erases the password of {action.row.account}. To import new mail later, enter it
      again.
    </ConfirmDialog>
  );
}

function ImportPasswordDialog({ row, onClose }: { row: ImportAction["row"]; onClose: () => void }) {
  const repeat = useAction({
    call: (secret: string) => repeatMailImport(row.id, secret),
    invalidates: INVALIDATES,
    success: "Importing new mail",
    onDone: onClose,
  });
  const form = useForm({
    initialValues: { secret: "" },
    labels: { secret: "Password or access token" },
    checks: { secret: required },
    draft: null,
    send: ({ secret }) => repeat.run(secret),
  });
  return (
    <Modal opened onClose={onClose} title="Import new mail">
      <Form
        form={form}
        actions={
          <DialogActions form={form} onClose={onClose}>
            Import new mail
          </DialogActions>
        }
      >
        <PasswordInput
          {...form.field("secret")}
          description={`The password of ${row.account} on the old server is no longer stored.`}
          autoComplete="off"
          data-autofocus
        />
      </Form>
    </Modal>
  );
}
