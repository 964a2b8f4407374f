import { Button } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { Menu } from "#app/console/ui/menu.tsx";
import { CopyItem } from "#app/console/ui/row-menu.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import type { BulkActionName } from "./bulk-actions/bulk-actions.ts";
import { LazyBulkActionDialog } from "./bulk-actions/lazy-bulk-action-dialog.ts";
import type { MailboxRow } from "./queries.ts";

/** What can be done to a mailbox, as `Menu.Item`s: in its row and on its page. */
export function MailboxMenu({
  mailbox: { id, may, active, acceptsPassword },
  onAct,
}: {
  mailbox: MailboxRow;
  onAct: (name: BulkActionName) => void;
}) {
  const { has, isOwner } = usePrivileges();
  return (
    <>
      {may.reset_password && acceptsPassword && (
        <Menu.Item onClick={() => onAct("reset")}>Reset password</Menu.Item>
      )}
      <CopyItem value={id}>Copy address</CopyItem>
      {may.update && <Menu.Item onClick={() => onAct("resize")}>Change storage limit</Menu.Item>}
      {has("manage_groups") && <Menu.Item onClick={() => onAct("group")}>Add to group</Menu.Item>}
      {may.suspend && (
        <Menu.Item onClick={() => onAct(active ? "suspend" : "restore")}>
          {active ? "Suspend mailbox" : "Restore mailbox"}
        </Menu.Item>
      )}
      {isOwner && (
        <Menu.Item color="var(--mantine-color-error)" onClick={() => onAct("delete")}>
          Delete mailbox
        </Menu.Item>
      )}
    </>
  );
}

/** The menu in the header of a mailbox's page. */
export function MailboxActions({ mailbox }: { mailbox: MailboxRow }) {
  const router = useRouter();
  const [name, setName] = useState<BulkActionName | null>(null);
  function handleAct(action: BulkActionName) {
    // That dialog can also forward and share a leaver's mail.
    if (action === "suspend") replaceSearch("?tab=settings&do=suspend", "push");
    else setName(action);
  }
  function handleClose(done: string[]) {
    setName(null);
    if (name === "delete" && done.length > 0) router.replace("/console/mailboxes");
  }
  return (
    <>
      <Menu
        button={
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden="true" />}>
            Actions
          </Button>
        }
      >
        <MailboxMenu mailbox={mailbox} onAct={handleAct} />
      </Menu>
      {name && <LazyBulkActionDialog name={name} mailboxes={[mailbox]} onClose={handleClose} />}
    </>
  );
}
