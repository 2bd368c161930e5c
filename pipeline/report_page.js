"use strict";

function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  const rest = String(Math.floor((tenths % 600) / 10)).padStart(2, "0");
  return `${Math.floor(tenths / 600)}:${rest}.${tenths % 10}`;
}

function start(article) {
  const fps = Number(article.dataset.fps), length = Number(article.dataset.length);
  const video = article.querySelector("video"), button = article.querySelector(".now button");
  const [stage, subtask] = [article.querySelector(".now b"), article.querySelector(".now span")];
  const output = article.querySelector("output"), head = article.querySelector(".bar u");
  const bar = article.querySelector(".bar"), pieces = [...bar.querySelectorAll("i")];
  let shown = -1;

  function show() {
    const frame = Math.min(length - 1, Math.floor(video.currentTime * fps + 1e-6));
    if (frame !== shown) {
      shown = frame;
      for (const piece of pieces) {
        const on = piece.dataset.start <= frame && frame < piece.dataset.end;
        piece.classList.toggle("on", on);
        if (on) {
          stage.textContent = piece.dataset.stage;
          subtask.textContent = piece.dataset.subtask;
          // Borders make pieces a little wider than their share, so the head is placed by the piece.
          const share = (frame - piece.dataset.start) / (piece.dataset.end - piece.dataset.start);
          head.style.left = `${piece.offsetLeft + share * piece.offsetWidth}px`;
        }
      }
      output.textContent = `${clock(frame / fps)} / ${clock(length / fps)}  #${frame}`;
    }
    if (!video.paused) requestAnimationFrame(show);
  }

  function go(frame) {
    // The middle of a frame: its edges may fall to either neighbour.
    video.currentTime = (Math.max(0, Math.min(length - 1, frame)) + 0.5) / fps;
  }

  function toggle() {
    if (!video.paused) return video.pause();
    document.querySelectorAll("video").forEach((other) => other !== video && other.pause());
    if (video.ended) video.currentTime = 0;
    video.play();
  }

  function drag(event) {
    const piece = pieces.find((p) => event.clientX < p.getBoundingClientRect().right) || pieces[pieces.length - 1];
    const box = piece.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    go(Math.floor(Number(piece.dataset.start) + share * (piece.dataset.end - piece.dataset.start)));
  }

  const bytes = Uint8Array.from(atob(article.querySelector(".mp4").textContent), (c) => c.charCodeAt(0));
  video.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
  video.addEventListener("loadeddata", show);
  video.addEventListener("seeked", () => { shown = -1; show(); });
  video.addEventListener("play", () => { button.textContent = "❚❚"; requestAnimationFrame(show); });
  video.addEventListener("pause", () => { button.textContent = "▶"; show(); });
  video.addEventListener("click", toggle);
  button.addEventListener("click", toggle);
  article.querySelector("select").addEventListener("change", (e) => { video.playbackRate = Number(e.target.value); });
  bar.addEventListener("pointerdown", (e) => { bar.setPointerCapture(e.pointerId); drag(e); });
  bar.addEventListener("pointermove", (e) => { if (bar.hasPointerCapture(e.pointerId)) drag(e); });
  window.addEventListener("resize", () => { shown = -1; show(); });
  for (const figure of article.querySelectorAll(".sheet figure")) {
    figure.addEventListener("click", () => {
      video.pause();
      go(Number(figure.dataset.tick));
      article.scrollIntoView({ behavior: "smooth" });
      video.focus({ preventScroll: true });
    });
  }
  video.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === " ") toggle();
    else if (step) go(shown + step * (event.shiftKey ? fps : 1));
    else return;
    event.preventDefault();
  });
}

// A player decodes its video when it comes near the window, not before.
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) {
      near.unobserve(entry.target);
      start(entry.target);
    }
  }
}, { rootMargin: "800px" });
document.querySelectorAll("article[data-live]").forEach((article) => near.observe(article));
