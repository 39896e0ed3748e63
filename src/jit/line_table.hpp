// Lines of the user's source in PTX: `.loc` and `.file` directives, and no other debug information.
#pragma once

#include "body.hpp"

#include <optional>

namespace oxide::jit {

// Of a module; one that was not opened gives nothing a line.
class LineTable {
 public:
  // Where the lines of one function are: its own and those of other files in it, by file of the graph.
  class Scopes {
   public:
    // What the builder makes from here on stands at a line.
    void at(Builder& b, const ir::Location& location) const;

   private:
    friend class LineTable;
    llvm::DISubprogram* function_ = nullptr;
    std::vector<llvm::DIScope*> files_;
  };

  void open(llvm::Module& module, const ir::Graph& graph);
  Scopes add(llvm::Function& function, llvm::StringRef name, const ir::Body& body);
  void close();

 private:
  std::optional<llvm::DIBuilder> builder_;
  std::vector<llvm::DIFile*> files_;
  llvm::DISubroutineType* type_ = nullptr;
};

}  // namespace oxide::jit
