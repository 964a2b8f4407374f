import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import Link from "next/link";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/session.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { toast } from "./actions.tsx";
import type { DataColumn } from "./data-table.tsx";
import { Menu } from "./menu.tsx";

/** The menu at the end of a row. `children` are `Menu.Item`. */
export const RowMenu = ({ label, children }: { label: string; children: ReactNode }) => (
  <Menu
    button={
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${label}`}>
        <IconDots size={16} aria-hidden="true" />
      </ActionIcon>
    }
  >
    {children}
  </Menu>
);

/**
 * The last column of a list, with each row's menu.
 *
 * @param items the row's `Menu.Item`s, its commonest actions; null for a row without a menu
 */
export const menuColumn = <Row,>(
  nameOf: (row: Row) => string,
  items: (row: Row) => ReactNode,
): DataColumn<Row, never> => ({
  header: "Actions",
  kind: "actions",
  width: "28px",
  cell(row) {
    const shown = items(row);
    return shown && <RowMenu label={nameOf(row)}>{shown}</RowMenu>;
  },
});

type LinkItemProps = { href: string; needs?: readonly Privilege[]; children: string };

/** @param needs privileges, any of which opens the page; omitted if everyone who sees the list can open it */
export function LinkItem({ href, needs, children }: LinkItemProps) {
  const { has } = usePrivileges();
  if (needs !== undefined && !has(...needs)) return null;
  return (
    <Menu.Item component={Link} href={href}>
      {children}
    </Menu.Item>
  );
}

/** @param children "Copy address" */
export function CopyItem({ value, children }: { value: string; children: string }) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      toast("Copied");
    } catch {
      toast("Couldn’t copy. Your browser doesn’t allow it.", { isError: true });
    }
  }
  return <Menu.Item onClick={() => void copy()}>{children}</Menu.Item>;
}
