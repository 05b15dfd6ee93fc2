// Buttons that copy a command. The text is selected and copied as a visitor would: browsers offer no clipboard on pages without TLS.

document.documentElement.classList.add('copies');

document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button === null) return;
  const range = document.createRange();
  range.selectNodeContents(button.previousElementSibling);
  const selection = globalThis.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  if (!document.execCommand('copy')) return;
  button.classList.add('copied');
  button.addEventListener('blur', () => button.classList.remove('copied'), { once: true });
});
