import { render } from 'preact';
import { keepFocus } from './state/keep-focus.ts';
import { openSession, session } from './state/session.ts';
import { App } from './views/app.tsx';
import './style/base.css';
import './style/frame.css';
import './style/start.css';
import './style/runs.css';

const root = document.querySelector('#page');
if (root !== null) {
  render(<App />, root);
  keepFocus(root);
}
// A share link needs no session.
if (location.pathname === '/shared') session.value = { state: 'shared' };
else void openSession();
