"use client";

import { Menu } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useState } from "react";

import { AuditExportButton } from "./audit-export-button.tsx";
import type { Format } from "./write-export.ts";

/** Opens as soon as it has loaded, because the click on the button loaded it. */
export function AuditExportMenu({ onChoose }: { onChoose: (format: Format) => void }) {
  const [isOpen, setIsOpen] = useState(true);
  const isMounted = useMounted();
  return (
    <Menu position="bottom-end" opened={isOpen && isMounted} onChange={setIsOpen} returnFocus>
      <Menu.Target>
        <AuditExportButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose("csv")}>Export as CSV</Menu.Item>
        <Menu.Item onClick={() => onChoose("json")}>Export as JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
