// The pointer on the tree: it chooses, folds, drags and zooms.

import { isMore } from "./layout.mjs";

/** Let a detail view follow the pointer. */
export function followPointer(detail) {
  let drag = null;
  const pinch = new Map();
  detail.picture.addEventListener("wheel", (event) => {
    if (detail.used === "outline") return;
    event.preventDefault();
    const { left, top } = detail.host.getBoundingClientRect();
    detail.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - left, event.clientY - top);
  }, { passive: false });
  detail.picture.addEventListener("pointerdown", (event) => {
    pinch.set(event.pointerId, event);
    drag = { x: event.clientX, y: event.clientY, from: { ...detail.view }, moved: false };
  });
  detail.picture.addEventListener("pointermove", (event) => {
    if (!pinch.has(event.pointerId) || detail.used === "outline") return;
    if (pinch.size === 2) zoomPinched(detail, pinch, event);
    pinch.set(event.pointerId, event);
    if (pinch.size > 1) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    if (!drag.moved) detail.picture.setPointerCapture(event.pointerId);
    drag.moved = true;
    detail.isFitted = false;
    detail.view = { ...detail.view, x: drag.from.x + dx, y: drag.from.y + dy };
    detail.page.soon("draw", () => detail.draw());
  });
  for (const name of ["pointerup", "pointercancel"]) detail.picture.addEventListener(name, (event) => pinch.delete(event.pointerId));
  detail.picture.addEventListener("click", (event) => {
    if (drag?.moved) return;
    const fold = event.target.closest("[data-fold]");
    const node = event.target.closest("[data-node]");
    if (fold) detail.page.toggle(Number(fold.dataset.fold));
    else if (node) detail.page.choose(Number(node.dataset.node));
    detail.picture.focus({ preventScroll: true });
  });
  detail.picture.addEventListener("dblclick", (event) => {
    const node = event.target.closest("[data-node]");
    if (node && !isMore(Number(node.dataset.node)) && !event.target.closest("[data-fold]")) detail.page.toggle(Number(node.dataset.node));
  });
  detail.picture.addEventListener("keydown", (event) => detail.key(event));
}

/** Two fingers zoom around the middle between them. */
function zoomPinched(detail, pinch, event) {
  const other = [...pinch.values()].find((one) => one.pointerId !== event.pointerId);
  const before = pinch.get(event.pointerId);
  const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
  const { left, top } = detail.host.getBoundingClientRect();
  detail.zoom(far(event) / far(before), (event.clientX + other.clientX) / 2 - left, (event.clientY + other.clientY) / 2 - top);
}
