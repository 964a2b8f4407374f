"use client";

import { Kbd, Modal } from "@mantine/core";
import { Fragment } from "react";

import classes from "./shortcut-list.module.css";

/** The keys that work everywhere, and where `g` leads. */
export function ShortcutList({
  letters,
  onClose,
}: {
  letters: Map<string, { label: string }>;
  onClose: () => void;
}) {
  const everywhere: [keys: string[], act: string][] = [
    [["Ctrl", "K"], "Go to, do or find"],
    [["/"], "Search the list"],
    [["j"], "Next row"],
    [["k"], "Row before"],
    [["Enter"], "Open the row"],
    [["x"], "Choose the row"],
    [["Esc"], "Close what is open"],
    [["?"], "This list"],
  ];
  const pages = [...letters].map(([letter, { label }]): [string[], string] => [
    ["g", letter],
    label,
  ]);
  return (
    <Modal opened onClose={onClose} title="Keys" size="lg">
      <div className={classes.columns}>
        <Keys rows={everywhere} />
        <Keys rows={pages} />
      </div>
    </Modal>
  );
}

function Keys({ rows }: { rows: [keys: string[], act: string][] }) {
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
