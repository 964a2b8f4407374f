"use client";

import { Menu } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useState } from "react";

import { ExportButton } from "./export-button.tsx";
import type { Format } from "./write-export.ts";

/** Opens when it is there, as it was asked for. */
export function ExportMenu({ onChoose }: { onChoose: (format: Format) => void }) {
  const [isOpen, setIsOpen] = useState(true);
  const isMounted = useMounted();
  return (
    <Menu position="bottom-end" opened={isOpen && isMounted} onChange={setIsOpen} returnFocus>
      <Menu.Target>
        <ExportButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose("csv")}>As CSV</Menu.Item>
        <Menu.Item onClick={() => onChoose("json")}>As JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
