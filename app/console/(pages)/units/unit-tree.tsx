import { IconChevronRight } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";

import { pluralize, formatCount } from "#app/console/ui/format.ts";

import type { UnitRow } from "./policies.ts";
import classes from "./units.module.css";
import { pathTo, type TreeNode, visibleNodes } from "./tree-nodes.ts";

type UnitTreeProps = {
  units: UnitRow[];
  chosen: number;
  search: string;
  onChoose: (id: number) => void;
};

/** Follows the WAI-ARIA tree view pattern: one tab stop, arrow keys, Home, End, and Enter to select. */
export function UnitTree({ units, chosen, search, onChoose }: UnitTreeProps) {
  const { nodes, toggle } = useUnitTree(units, chosen, search);
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
        node.hasUnits && !node.isOpen ? toggle(node) : goTo(firstChild(nodes, at)),
      ArrowLeft: () => (node.isOpen ? toggle(node) : goTo(parentNode(nodes, at))),
      Enter: () => choose(node),
      " ": () => choose(node),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  return (
    <ul role="tree" aria-label="Units">
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
          <UnitTreeItem node={node} onToggle={() => toggle(node)} />
        </li>
      ))}
    </ul>
  );
}

/**
 * The ancestors of a selected unit open, unless the admin closed them, and stay open when another unit
 * is selected, so that the tree doesn't jump.
 */
function useUnitTree(units: UnitRow[], chosen: number, search: string) {
  const [toggled, setTurned] = useState<ReadonlyMap<number, boolean>>(new Map());
  const [ancestors, setPassed] = useState<ReadonlySet<number>>(new Set());
  const path = pathTo(units, chosen).slice(0, -1);
  if (path.some((id) => !ancestors.has(id))) setPassed(new Set([...ancestors, ...path]));
  const tops = units.filter(({ parentId: parent }) => parent === null).map(({ id }) => id);
  const isOpen = (id: number) => toggled.get(id) ?? (ancestors.has(id) || tops.includes(id));
  return {
    nodes: visibleNodes(units, isOpen, search),
    toggle: ({ unit, isOpen }: TreeNode) => setTurned(new Map([...toggled, [unit.id, !isOpen]])),
  };
}

const firstChild = (nodes: TreeNode[], at: number) =>
  nodes[at]!.isOpen ? nodes[at + 1] : undefined;

const parentNode = (nodes: TreeNode[], at: number) =>
  nodes.slice(0, at).findLast(({ level }) => level < nodes[at]!.level);

type UnitTreeItemProps = { node: TreeNode; onToggle: () => void };

const UnitTreeItem = ({ node: { unit, hasUnits, isOpen }, onToggle }: UnitTreeItemProps) => (
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
    <span className={classes.count} title={describeCounts(unit)} aria-label={describeCounts(unit)}>
      {formatCount(unit.mailboxesBelow)}
    </span>
  </>
);

const describeCounts = ({ mailboxes, mailboxesBelow: below }: UnitRow) =>
  below === mailboxes
    ? pluralize(mailboxes, "mailbox", "mailboxes")
    : `${pluralize(below, "mailbox", "mailboxes")}, ${mailboxes} directly in this unit`;
