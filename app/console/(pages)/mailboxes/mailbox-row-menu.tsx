import { Menu } from "@mantine/core";

import type { DataColumn } from "#app/console/ui/data-table.tsx";
import { RowMenu } from "#app/console/ui/row-menu.tsx";

import type { BulkActionName } from "./bulk-actions/bulk-actions.ts";
import type { MailboxRow } from "./queries.ts";

export type OnMailboxAction = (name: BulkActionName, mailbox: MailboxRow) => void;

/** The column with each mailbox's commonest actions. */
export const menuColumn = (onAct: OnMailboxAction): DataColumn<MailboxRow> => ({
  area: "menu",
  header: "Actions",
  kind: "actions",
  width: "28px",
  cell: (mailbox) => <MailboxRowMenu mailbox={mailbox} onAct={onAct} />,
});

function MailboxRowMenu({ mailbox, onAct }: { mailbox: MailboxRow; onAct: OnMailboxAction }) {
  const { may, active } = mailbox;
  const mayReset = may.reset_password && mailbox.acceptsPassword;
  if (!mayReset && !may.suspend && !may.update) return null;
  return (
    <RowMenu label={mailbox.id}>
      {mayReset && <Menu.Item onClick={() => onAct("reset", mailbox)}>Reset password</Menu.Item>}
      {may.update && (
        <Menu.Item onClick={() => onAct("resize", mailbox)}>Change storage limit</Menu.Item>
      )}
      {may.suspend && (
        <Menu.Item onClick={() => onAct(active ? "suspend" : "restore", mailbox)}>
          {active ? "Suspend mailbox" : "Restore mailbox"}
        </Menu.Item>
      )}
    </RowMenu>
  );
}
