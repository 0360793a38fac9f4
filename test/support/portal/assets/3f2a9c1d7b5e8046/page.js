document.title = 'Portal, started'
