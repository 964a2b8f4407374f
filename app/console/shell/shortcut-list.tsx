"use client";

import { Kbd, Modal } from "@mantine/core";
import { Fragment } from "react";

import classes from "./shortcut-list.module.css";

export function ShortcutList({
  letters,
  onClose,
}: {
  letters: Map<string, { label: string }>;
  onClose: () => void;
}) {
  const everywhere: [keys: string[], act: string][] = [
    [["Ctrl", "K"], "Open search"],
    [["/"], "Search the list"],
    [["j"], "Next row"],
    [["k"], "Previous row"],
    [["Enter"], "Open the row"],
    [["x"], "Select the row"],
    [["Esc"], "Close a dialog or menu"],
    [["?"], "Show shortcuts"],
  ];
  const pages = [...letters].map(([letter, { label }]): [string[], string] => [
    ["g", letter],
    label,
  ]);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <div className={classes.columns}>
        <ShortcutRows rows={everywhere} />
        <ShortcutRows rows={pages} />
      </div>
    </Modal>
  );
}

function ShortcutRows({ rows }: { rows: [keys: string[], act: string][] }) {
  return (
    <dl className={classes.keys}>
      {rows.map(([keys, act]) => (
        <Fragment key={act}>
          <dt>
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dt>
          <dd>{act}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
