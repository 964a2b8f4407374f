"use client";

import { IconChevronRight } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";

import type { UnitRow } from "./queries.ts";
import classes from "./tree.module.css";
import { pathTo, type TreeNode, visibleNodes } from "./tree-nodes.ts";

/**
 * The tree of units as WAI-ARIA has it: one stop of the Tab key; arrows walk, open and close, Home and End go
 * to the ends, Enter chooses.
 */
export function Tree({
  units,
  chosen,
  search,
  onChoose,
}: {
  units: UnitRow[];
  chosen: number;
  search: string;
  onChoose: (id: number) => void;
}) {
  const { nodes, toggle } = useTree(units, chosen, search);
  const [focused, setFocused] = useState(chosen);
  const items = useRef(new Map<number, HTMLLIElement>());
  const stop = nodes.some(({ unit }) => unit.id === focused) ? focused : nodes[0]?.unit.id;

  function goTo(node: TreeNode | undefined) {
    if (!node) return;
    setFocused(node.unit.id);
    items.current.get(node.unit.id)?.focus();
  }

  function choose({ unit }: TreeNode) {
    setFocused(unit.id);
    onChoose(unit.id);
  }

  function handleKey(event: KeyboardEvent, node: TreeNode) {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const at = nodes.indexOf(node);
    const act = {
      ArrowDown: () => goTo(nodes[at + 1]),
      ArrowUp: () => goTo(nodes[at - 1]),
      Home: () => goTo(nodes[0]),
      End: () => goTo(nodes.at(-1)),
      ArrowRight: () =>
        node.hasUnits && !node.isOpen ? toggle(node) : goTo(firstBelow(nodes, at)),
      ArrowLeft: () => (node.isOpen ? toggle(node) : goTo(above(nodes, at))),
      Enter: () => choose(node),
      " ": () => choose(node),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  return (
    <ul role="tree" aria-label="Units" className={classes.tree}>
      {nodes.map((node) => (
        <li
          key={node.unit.id}
          ref={(item) => {
            if (item) items.current.set(node.unit.id, item);
            else items.current.delete(node.unit.id);
          }}
          role="treeitem"
          aria-level={node.level}
          aria-setsize={node.siblings}
          aria-posinset={node.position}
          aria-selected={node.unit.id === chosen}
          {...(node.hasUnits && { "aria-expanded": node.isOpen })}
          tabIndex={node.unit.id === stop ? 0 : -1}
          className={classes.item}
          style={{ paddingLeft: 4 + (node.level - 1) * 18 }}
          onClick={() => choose(node)}
          onKeyDown={(event) => handleKey(event, node)}
        >
          <Item node={node} onToggle={() => toggle(node)} />
        </li>
      ))}
    </ul>
  );
}

/**
 * Which units show, and how they are opened. The way to each that is chosen opens unless it was closed by
 * hand, and stays open when another one is chosen: nothing jumps.
 */
function useTree(units: UnitRow[], chosen: number, search: string) {
  const [turned, setTurned] = useState<ReadonlyMap<number, boolean>>(new Map());
  const [passed, setPassed] = useState<ReadonlySet<number>>(new Set());
  const path = pathTo(units, chosen).slice(0, -1);
  if (path.some((id) => !passed.has(id))) setPassed(new Set([...passed, ...path]));
  const tops = units.filter(({ parent_id: parent }) => parent === null).map(({ id }) => id);
  const isOpen = (id: number) => turned.get(id) ?? (passed.has(id) || tops.includes(id));
  return {
    nodes: visibleNodes(units, isOpen, search),
    toggle: ({ unit, isOpen }: TreeNode) => setTurned(new Map([...turned, [unit.id, !isOpen]])),
  };
}

const firstBelow = (nodes: TreeNode[], at: number) =>
  nodes[at]!.isOpen ? nodes[at + 1] : undefined;

const above = (nodes: TreeNode[], at: number) =>
  nodes.slice(0, at).findLast(({ level }) => level < nodes[at]!.level);

function Item({
  node: { unit, hasUnits, isOpen },
  onToggle,
}: {
  node: TreeNode;
  onToggle: () => void;
}) {
  return (
    <>
      <span
        className={classes.chevron}
        data-open={isOpen}
        aria-hidden="true"
        onClick={(event) => {
          if (!hasUnits) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {hasUnits && <IconChevronRight size={14} />}
      </span>
      <span className={classes.name}>{unit.name}</span>
      <span className={classes.count} title={countsOf(unit)} aria-label={countsOf(unit)}>
        {unit.mailboxes_below.toLocaleString("en")}
      </span>
    </>
  );
}

const countsOf = ({ mailboxes, mailboxes_below: below }: UnitRow) =>
  below === mailboxes
    ? mailboxesWord(mailboxes)
    : `${mailboxesWord(below)}, ${mailboxes} of them in the unit itself`;

/** "3 mailboxes" */
export const mailboxesWord = (count: number) =>
  count === 1 ? "1 mailbox" : `${count.toLocaleString("en")} mailboxes`;
